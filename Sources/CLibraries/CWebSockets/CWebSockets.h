#pragma once
// The border to libwebsockets 4.1 (HTTP/1.1, WebSocket, both ends). Its big structures are filled here,
// so that Swift sees only handles, numbers and byte ranges.
#include <errno.h>
#include <libwebsockets.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/// The one protocol of every virtual host here.
#define PARLEY_WS_PROTOCOL "parley"

typedef struct parley_ws_service {
  struct lws_context *context;
  struct lws_protocols protocols[2];
  lws_sorted_usec_list_t timer;
  void (*tick)(void *);
  void *user;
} parley_ws_service;

static inline void parley_ws_timer_fired(struct lws_sorted_usec_list *list) {
  parley_ws_service *service =
      (parley_ws_service *)((char *)list - offsetof(parley_ws_service, timer));
  service->tick(service->user);
}

/// Creates a context without a virtual host; null when it fails. `user` is given to `tick` and found by
/// `parley_ws_user`. A client's request, headers and all, has to fit into `request_bytes`. Up to `send_piece` bytes are
/// given to the socket in one write.
static inline parley_ws_service *parley_ws_service_create(
    lws_callback_function *callback, void (*tick)(void *), void *user, unsigned int descriptors,
    unsigned int header_bytes, unsigned int request_bytes, size_t receive_buffer, size_t send_piece) {
  lws_set_log_level(0, NULL);
  parley_ws_service *service = (parley_ws_service *)calloc(1, sizeof *service);
  if (!service) return NULL;
  service->tick = tick;
  service->user = user;
  service->protocols[0].name = PARLEY_WS_PROTOCOL;
  service->protocols[0].callback = callback;
  service->protocols[0].rx_buffer_size = receive_buffer;
  // Without this the library cuts what it is given to write to the size of the buffer for reading, and keeps the rest.
  service->protocols[0].tx_packet_size = send_piece;
  struct lws_context_creation_info info;
  memset(&info, 0, sizeof info);
  info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
  info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME |
                 LWS_SERVER_OPTION_JUST_USE_RAW_ORIGIN |
                 LWS_SERVER_OPTION_NO_LWS_SYSTEM_STATES;
  info.gid = -1;
  info.uid = -1;
  info.user = user;
  info.fd_limit_per_thread = descriptors;
  info.max_http_header_data2 = header_bytes;
  info.pt_serv_buf_size = request_bytes;
  info.timeout_secs = 30;
  // The library keeps the place of its data in SSL objects in one variable of the process, and takes a
  // new place with each context that asks for this option: handshakes under way in others would fail.
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static int initialised = 0;
  pthread_mutex_lock(&mutex);
  if (!initialised) info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
  service->context = lws_create_context(&info);
  if (service->context) initialised = 1;
  pthread_mutex_unlock(&mutex);
  if (!service->context) {
    free(service);
    return NULL;
  }
  return service;
}

/// A header for every answer that the library writes by itself, too long for its buffer, so that it writes none: what
/// it cannot parse is answered in our words, when ``parley_ws_adopt_companion``'s handle is closed.
static inline const struct lws_protocol_vhost_options *parley_ws_no_own_answers(void) {
  static char value[8192];
  static struct lws_protocol_vhost_options header = {NULL, NULL, "x:", value};
  // Every caller writes the same bytes.
  memset(value, 'x', sizeof value - 1);
  return &header;
}

/// The side that a virtual host is for.
typedef enum { PARLEY_WS_SERVER, PARLEY_WS_TLS_SERVER, PARLEY_WS_PLAIN_CLIENT, PARLEY_WS_TLS_CLIENT } parley_ws_role;

/// Adds a virtual host: for serving with or without TLS, or for clients with or without it. Null when it fails. One
/// that serves with TLS has no certificate: the callback is given its SSL_CTX as `user`
/// (LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS), and sees to that.
static inline struct lws_vhost *parley_ws_vhost_create(
    parley_ws_service *service, const char *name, parley_ws_role role) {
  struct lws_context_creation_info info;
  memset(&info, 0, sizeof info);
  int serves = role == PARLEY_WS_SERVER || role == PARLEY_WS_TLS_SERVER;
  info.port = serves ? CONTEXT_PORT_NO_LISTEN_SERVER : CONTEXT_PORT_NO_LISTEN;
  info.protocols = service->protocols;
  info.vhost_name = name;
  info.user = service->user;
  info.gid = -1;
  info.uid = -1;
  // Idle connections are ended by the server's own deadlines, which come first.
  info.keepalive_timeout = 3600;
  info.timeout_secs = 30;
  info.timeout_secs_ah_idle = 3600;
  info.connect_timeout_secs = 20;
  info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
  // A server proves itself and asks nobody for a certificate; reading the system's list of authorities costs
  // 50 ms and a megabyte.
  if (role != PARLEY_WS_TLS_CLIENT) info.options |= LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
  info.alpn = "http/1.1";
  if (serves) info.headers = parley_ws_no_own_answers();
  if (role == PARLEY_WS_TLS_SERVER) {
    info.options |= LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX;
    info.ssl_options_set = SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 |
                           SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION;
  }
  struct lws_vhost *host = lws_create_vhost(service->context, &info);
  if (host && role == PARLEY_WS_TLS_CLIENT && lws_init_vhost_client_ssl(&info, host)) return NULL;
  return host;
}

/// Ends every connection and frees the service. On the service thread, or after it.
static inline void parley_ws_service_destroy(parley_ws_service *service) {
  lws_sul_cancel(&service->timer);
  lws_context_destroy(service->context);
  free(service);
}

/// Handles what is ready, waiting for it.
static inline int parley_ws_service_run(parley_ws_service *service) {
  return lws_service(service->context, 0);
}

/// Wakes the service thread; the only call that other threads may make.
static inline void parley_ws_wake(parley_ws_service *service) {
  lws_cancel_service(service->context);
}

/// Calls `tick` in `microseconds`.
static inline void parley_ws_set_timer(parley_ws_service *service, int64_t microseconds) {
  lws_sul_schedule(service->context, 0, &service->timer, parley_ws_timer_fired, microseconds);
}

/// The `user` of the service that a callback is about.
static inline void *parley_ws_user(struct lws *wsi) {
  struct lws_context *context = wsi ? lws_get_context(wsi) : NULL;
  return context ? lws_context_user(context) : NULL;
}

static inline uintptr_t parley_ws_tag(struct lws *wsi) {
  return (uintptr_t)lws_get_opaque_user_data(wsi);
}

/// Hands an accepted socket over as an HTTP connection tagged `tag`; null (socket closed) when it fails.
static inline struct lws *parley_ws_adopt_socket(
    struct lws_vhost *host, int fd, int tls, uintptr_t tag) {
  lws_adopt_desc_t d;
  memset(&d, 0, sizeof d);
  d.vh = host;
  d.type = (lws_adoption_type)(LWS_ADOPT_HTTP | LWS_ADOPT_SOCKET | (tls ? LWS_ADOPT_ALLOW_SSL : 0));
  d.fd.sockfd = fd;
  d.opaque = (void *)tag;
  return lws_adopt_descriptor_vhost_via_info(&d);
}

/// Watches another descriptor (a listener), which is closed with its handle.
static inline struct lws *parley_ws_adopt_file(struct lws_vhost *host, int fd, uintptr_t tag) {
  lws_adopt_desc_t d;
  memset(&d, 0, sizeof d);
  d.vh = host;
  d.type = LWS_ADOPT_RAW_FILE_DESC;
  d.fd.filefd = fd;
  d.vh_prot_name = PARLEY_WS_PROTOCOL;
  d.opaque = (void *)tag;
  return lws_adopt_descriptor_vhost_via_info(&d);
}

/// Watches `fd`, a second descriptor of a connection's socket, as a child of the connection: it reports arriving bytes
/// without reading them. The library closes children before anything else of their parent. That is the only notice that
/// it ends a connection whose request it cannot parse, while an answer can still be written.
static inline struct lws *parley_ws_adopt_companion(struct lws *parent, int fd, uintptr_t tag) {
  lws_adopt_desc_t d;
  memset(&d, 0, sizeof d);
  d.vh = lws_get_vhost(parent);
  d.type = LWS_ADOPT_RAW_FILE_DESC;
  d.fd.filefd = fd;
  d.vh_prot_name = PARLEY_WS_PROTOCOL;
  d.parent = parent;
  d.opaque = (void *)tag;
  return lws_adopt_descriptor_vhost_via_info(&d);
}

/// Whether bytes have come of a connection, and which; they stay unread. 0 is the end of the stream, -1 nothing yet, -2
/// a broken connection.
///
/// With TLS, what is seen is at most one record, and the library's next read takes no more than that record.
static inline int parley_ws_peek(struct lws *wsi, uint8_t *buffer, int capacity) {
  SSL *ssl = lws_get_ssl(wsi);
  if (!ssl) {
    ssize_t n = recv(lws_get_socket_fd(wsi), buffer, (size_t)capacity, MSG_PEEK | MSG_DONTWAIT);
    if (n >= 0) return (int)n;
    return errno == EAGAIN || errno == EINTR ? -1 : -2;
  }
  ERR_clear_error();
  int n = SSL_peek(ssl, buffer, capacity);
  if (n > 0) return n;
  switch (SSL_get_error(ssl, n)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return -1;
    case SSL_ERROR_ZERO_RETURN: return 0;
    default: return -2;
  }
}

/// How many bytes of a TLS record are decrypted and unread.
static inline int parley_ws_pending(struct lws *wsi) {
  SSL *ssl = lws_get_ssl(wsi);
  return ssl ? SSL_pending(ssl) : 0;
}

/// Whether the other end of a TCP connection has finished sending.
static inline int parley_ws_peer_finished(int fd) {
  enum { READ_HANG_UP = 0x2000 };  // POLLRDHUP, which the C library declares with its extensions only
  struct pollfd descriptor = {fd, READ_HANG_UP, 0};
  return poll(&descriptor, 1, 0) > 0;
}

/// Has the library read (or, with `writable`, write) on a connection now. Nonzero: the connection is gone.
static inline int parley_ws_drive(struct lws *wsi, int writable) {
  short events = writable ? POLLOUT : POLLIN;
  struct lws_pollfd descriptor = {lws_get_socket_fd(wsi), events, events};
  return lws_service_fd(lws_get_context(wsi), &descriptor);
}

static inline void parley_ws_handshake_event(const SSL *ssl, int where, int result) {
  (void)result;
  struct lws *wsi = where & SSL_CB_HANDSHAKE_DONE ? (struct lws *)SSL_get_app_data(ssl) : NULL;
  if (wsi) lws_get_protocol(wsi)->callback(wsi, LWS_CALLBACK_USER, NULL, NULL, 0);
}

/// Has `LWS_CALLBACK_USER` reported at the end of a connection's TLS handshake, from inside of it. Called right after
/// adoption. Nonzero: there is none.
static inline int parley_ws_watch_handshake(struct lws *wsi) {
  SSL *ssl = lws_get_ssl(wsi);
  if (!ssl) return -1;
  // The library keeps its own data under a number of its own; the object ends with the connection.
  SSL_set_app_data(ssl, wsi);
  SSL_set_info_callback(ssl, parley_ws_handshake_event);
  return 0;
}

/// Whether bytes can be sent: without TLS, or after its handshake.
static inline int parley_ws_is_open(struct lws *wsi) {
  SSL *ssl = lws_get_ssl(wsi);
  return !ssl || SSL_is_init_finished(ssl);
}

/// Starts a client connection; `method` null is a WebSocket. Null when it failed at once.
static inline struct lws *parley_ws_connect(
    parley_ws_service *service, struct lws_vhost *host, const char *address, int port,
    const char *host_header, const char *path, const char *origin, const char *subprotocol,
    const char *method, int tls, int insecure, uintptr_t tag, struct lws **out) {
  struct lws_client_connect_info info;
  memset(&info, 0, sizeof info);
  info.context = service->context;
  info.vhost = host;
  info.address = address;
  info.port = port;
  info.host = host_header;
  info.path = path;
  info.origin = origin;
  info.protocol = subprotocol;
  info.local_protocol_name = PARLEY_WS_PROTOCOL;
  info.method = method;
  info.alpn = "http/1.1";
  info.ietf_version_or_minus_one = -1;
  info.opaque_user_data = (void *)tag;
  info.pwsi = out;
  info.ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT;
  if (tls) info.ssl_connection |= LCCSCF_USE_SSL;
  if (tls && insecure)
    info.ssl_connection |= LCCSCF_ALLOW_SELFSIGNED | LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK |
                           LCCSCF_ALLOW_EXPIRED | LCCSCF_ALLOW_INSECURE;
  return lws_client_connect_via_info(&info);
}

/// Closes a connection: at once, from outside of its own callbacks.
static inline void parley_ws_kill(struct lws *wsi) {
  lws_set_timeout(wsi, PENDING_TIMEOUT_CLOSE_ACK, LWS_TO_KILL_SYNC);
}
/// Closes a connection as soon as the loop runs again, without the closing handshake.
static inline void parley_ws_abort(struct lws *wsi) {
  lws_set_timeout(wsi, PENDING_TIMEOUT_CLOSE_ACK, LWS_TO_KILL_ASYNC);
}
/// Takes libwebsockets' own timeout off.
static inline void parley_ws_clear_timeout(struct lws *wsi) {
  lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);
}

/// Whether the library holds input that it has read and not parsed, of this connection or (rarely) of another one.
static inline int parley_ws_has_leftover(struct lws *wsi) {
  lws_rx_flow_control(wsi, 1);
  int leftover = lws_service_adjust_timeout(lws_get_context(wsi), 1, 0) == 0;
  lws_rx_flow_control(wsi, 0);
  return leftover;
}

/// How many bytes must be free in front of what `parley_ws_write` is given.
static inline size_t parley_ws_padding(void) { return LWS_PRE; }

enum parley_ws_kind {
  PARLEY_WS_TEXT,
  PARLEY_WS_BINARY,
  PARLEY_WS_PING,
  PARLEY_WS_HTTP_HEADERS,
  PARLEY_WS_HTTP,
};
/// Writes `length` bytes that have `parley_ws_padding()` bytes in front of them. Negative: dead.
static inline int parley_ws_write(struct lws *wsi, uint8_t *bytes, size_t length, int kind) {
  static const enum lws_write_protocol kinds[] = {
      LWS_WRITE_TEXT, LWS_WRITE_BINARY, LWS_WRITE_PING, LWS_WRITE_HTTP_HEADERS, LWS_WRITE_HTTP};
  return lws_write(wsi, bytes, length, kinds[kind]);
}

/// Writes more of what the library keeps of earlier writes; it reads nothing. Negative: dead.
static inline int parley_ws_flush(struct lws *wsi) {
  return lws_write(wsi, NULL, 0, LWS_WRITE_HTTP);
}

/// Names the code and reason of the close frame that follows.
static inline void parley_ws_close_reason(struct lws *wsi, int code, uint8_t *reason, size_t length) {
  lws_close_reason(wsi, (enum lws_close_status)code, reason, length);
}

/// The peer's certificate verification was overruled: nothing else here reads the SSL.
static inline int parley_ws_descriptor(struct lws *wsi) { return lws_get_socket_fd(wsi); }

/// How many bytes have come over a TCP connection and were read. Negative where the kernel does not count them.
static inline int64_t parley_tcp_bytes_read(int fd) {
  // Of `struct tcp_info` (linux/tcp.h), which the C library declares without it: tcpi_bytes_received stands there.
  enum { BYTES_RECEIVED = 128, TCP_INFORMATION = 11 };
  uint64_t information[32];
  socklen_t length;
  int unread = 0, after = 0;
  // Bytes that come between the two looks would count as read.
  do {
    length = sizeof information;
    if (ioctl(fd, SIOCINQ, &unread)) return -1;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFORMATION, information, &length)) return -1;
    if (ioctl(fd, SIOCINQ, &after)) return -1;
  } while (after != unread);
  if (length < BYTES_RECEIVED + 8) return -1;
  return (int64_t)information[BYTES_RECEIVED / 8] - unread;
}

static inline int parley_ws_token_count(void) { return WSI_TOKEN_COUNT; }
/// The header name of a token with its colon, or null.
static inline const char *parley_ws_token_name(int token) {
  return (const char *)lws_token_to_string((enum lws_token_indexes)token);
}
static inline int parley_ws_header_length(struct lws *wsi, int token) {
  return lws_hdr_total_length(wsi, (enum lws_token_indexes)token);
}
static inline int parley_ws_header_copy(struct lws *wsi, int token, char *out, int capacity) {
  return lws_hdr_copy(wsi, out, capacity, (enum lws_token_indexes)token);
}
static inline int parley_ws_fragment_copy(
    struct lws *wsi, int token, int index, char *out, int capacity) {
  return lws_hdr_copy_fragment(wsi, out, capacity, (enum lws_token_indexes)token, index);
}
static inline int parley_ws_custom_copy(
    struct lws *wsi, const char *name, int name_length, char *out, int capacity) {
  return lws_hdr_custom_copy(wsi, out, capacity, name, name_length);
}

/// Adds a header to a client's request. `in` and `length` are those of the callback. Nonzero: no room.
static inline int parley_ws_append_header(
    struct lws *wsi, void *in, size_t length, const char *name, const uint8_t *value, int count) {
  unsigned char **p = (unsigned char **)in;
  return lws_add_http_header_by_name(
      wsi, (const unsigned char *)name, value, count, p, *p + length);
}
/// Reads what is there of an HTTP answer; it comes back through the callback. Nonzero: dead.
static inline int parley_ws_client_read(struct lws *wsi, uint8_t *buffer, int capacity) {
  char *p = (char *)buffer;
  return lws_http_client_read(wsi, &p, &capacity);
}

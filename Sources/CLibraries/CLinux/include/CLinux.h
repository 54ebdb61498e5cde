#pragma once
// Linux calls and constants that Swift's Glibc module lacks, and the socket control messages whose
// macros do not reach Swift. Addresses cross this border as two words and a port, so that no
// sockaddr is ever read on the Swift side.
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

/// An IP address and port in host order; IPv4 is kept in its IPv6-mapped form.
typedef struct parley_address {
  uint64_t high;
  uint64_t low;
  uint16_t port;
} parley_address;

/// Reads a socket address of either family; another family gives the unspecified IPv6 address.
parley_address parley_address_read(const struct sockaddr *address);

/// Writes `address` for a socket of the family (IPv4 becomes its mapped form on an IPv6 socket).
/// Returns the length, 0 where an IPv6 address does not fit an IPv4 socket.
socklen_t parley_address_write(parley_address address, int family, struct sockaddr_storage *out);

// MARK: epoll

/// One ready descriptor.
typedef struct parley_event {
  uint64_t token;
  uint32_t events;
} parley_event;

/// Adds, changes or removes a descriptor. Returns 0 or -errno.
int parley_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token);

/// Waits at most `timeout` nanoseconds (negative: for ever). Returns a count or -errno.
int parley_epoll_wait(int epoll, parley_event *events, int capacity, int64_t timeout);

/// A new epoll descriptor, close-on-exec, or -errno.
int parley_epoll_create(void);
/// A new non-blocking event counter, close-on-exec, or -errno.
int parley_event_create(void);

// MARK: poll by epoll

/// Answers the calls of `poll` of one thread, whose table of descriptors changes little from call to call.
typedef struct parley_poller parley_poller;

/// A poller's work so far.
typedef struct parley_poller_counters {
  /// Calls that epoll has answered and that were to wait.
  uint64_t waits;
  /// Descriptors that were added, changed or removed.
  uint64_t changes;
  /// How often it began again because of a closed descriptor that went on reporting.
  uint64_t restarts;
} parley_poller_counters;

/// Calls with fewer descriptors are left to the kernel's `poll`.
enum { PARLEY_POLLER_LEAST = 16 };

/// A poller, to be used by one thread at a time; null without memory or descriptors.
parley_poller *parley_poller_create(void);
/// Frees a poller. Null is nothing.
void parley_poller_destroy(parley_poller *poller);
/// From now on `poll` on this thread goes through the poller; null ends that.
void parley_poller_use(parley_poller *poller);
/// The descriptor's number belongs to another file than in the last call, or may. Not saying so leaves it unwatched.
void parley_poller_forget(parley_poller *poller, int descriptor);
/// As `poll`, with epoll; a table that it cannot watch is given to the kernel's `poll`, as all later ones.
int parley_poller_wait(parley_poller *poller, struct pollfd *table, size_t count, int timeout);
parley_poller_counters parley_poller_read(const parley_poller *poller);

// MARK: threads

/// Starts a joinable thread with a name and every signal blocked. Returns 0 or an error number.
int parley_thread_start(
  pthread_t *thread, const char *name, int cpu, void (*body)(void *), void *argument);

// MARK: TCP and options

/// Sets an integer socket option. Returns 0 or -errno.
int parley_set_option(int fd, int level, int name, int value);
/// Reads an integer socket option; -errno when it cannot be read.
int parley_get_option(int fd, int level, int name);

/// How many datagrams the kernel dropped because the socket's receive buffer was full; 0 where it does not say.
uint32_t parley_receive_drops(int fd);
/// Listens at a path with a Unix socket that only this user can open; nothing may be there. Returns a non-blocking
/// close-on-exec descriptor or -errno, ENAMETOOLONG for a path of more than `PARLEY_SOCKET_PATH` bytes.
int parley_open_unix(const char *path, int backlog);
/// The most bytes of a Unix socket's path.
enum { PARLEY_SOCKET_PATH = 107 };
/// Opens, binds and (for a stream) listens. Returns a non-blocking close-on-exec descriptor or -errno.
int parley_open_bound(int type, parley_address address, int dual_stack, int backlog);
/// The address a socket is bound to.
parley_address parley_local_address(int fd);
/// The address a socket is connected to.
parley_address parley_peer_address(int fd);
/// Accepts one connection, non-blocking and close-on-exec. Returns a descriptor or -errno.
int parley_accept(int fd, parley_address *peer);

// MARK: UDP receiving

/// The buffers of one batched receive, in one mapping of which only touched pages are resident.
typedef struct parley_receive_slab parley_receive_slab;

/// One received buffer: a datagram, or several of `segment` bytes (the last may be shorter).
typedef struct parley_received {
  uint8_t *bytes;
  uint32_t length;
  uint32_t segment;
  parley_address remote;
  parley_address local;
} parley_received;

/// Maps a slab of `slots` buffers of `slot_size` bytes; null when memory is short.
parley_receive_slab *parley_receive_slab_create(uint32_t slots, uint32_t slot_size);
void parley_receive_slab_destroy(parley_receive_slab *slab);
/// Receives at most one datagram a slot without blocking. Returns a count or -errno.
int parley_receive(parley_receive_slab *slab, int fd);
/// The buffer of slot `index` after a receive. A truncated datagram has the length 0.
parley_received parley_receive_at(parley_receive_slab *slab, uint32_t index, uint16_t local_port);

// MARK: UDP sending

/// One message to send: `length` bytes, cut into datagrams of `segment` bytes when that is not 0.
typedef struct parley_message {
  const uint8_t *bytes;
  uint32_t length;
  uint16_t segment;
  parley_address to;
  parley_address from;  // unspecified: the kernel chooses
} parley_message;

/// Sends up to `count` messages with one system call (at most 64 are taken). Returns how many were
/// sent, or -errno of the first when none was.
int parley_send(int fd, int family, const parley_message *messages, uint32_t count);

// MARK: addresses of this machine

/// The address that this machine would send to `remote` from; nothing is sent. Returns 0 or -errno, as where there is
/// no route.
int parley_source_address(parley_address remote, parley_address *out);
/// Resolves a name (blocking). Returns the count or a negative `EAI_` code.
int parley_resolve(const char *host, const char *port, parley_address *out, int capacity);
/// Connects a blocking-free TCP socket. Returns the descriptor (connection in progress) or -errno.
int parley_connect_start(parley_address address);

// MARK: interfaces and timers

/// One address of one network interface.
typedef struct parley_interface {
  char name[16];
  uint32_t index;
  uint8_t is_loopback;
  uint8_t is_point_to_point;
  parley_address address;
} parley_interface;

/// Fills `out` with every address of every interface that is up and running, link-local IPv6 left out. Returns the
/// count or -errno.
int parley_interfaces(parley_interface *out, int capacity);
/// A non-blocking netlink socket that hears of links and addresses that come and go. Returns it or -errno.
int parley_netlink_open(void);
/// Reads everything a netlink socket has. Returns 1 when there was something, 0 when not.
int parley_netlink_drain(int fd);
/// A non-blocking one-shot timer that is not set yet. Returns a descriptor or -errno.
int parley_timer_create(void);
/// Sets a timer to run out in `nanoseconds` (at least 1), or stops it with 0.
void parley_timer_set(int fd, int64_t nanoseconds);

/// Writes the system's sentence for an error number, ended by a zero byte.
void parley_error_text(int code, char *out, int capacity);

#define _GNU_SOURCE
#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif
#ifndef SOL_UDP
#define SOL_UDP 17
#endif

static uint64_t read_be64(const uint8_t *p) {
  uint64_t v = 0;
  for (int i = 0; i < 8; i++) v = v << 8 | p[i];
  return v;
}

static void write_be64(uint64_t v, uint8_t *p) {
  for (int i = 7; i >= 0; i--) {
    p[i] = (uint8_t)v;
    v >>= 8;
  }
}

static int is_v4(parley_address a) { return a.high == 0 && a.low >> 32 == 0xFFFF; }
static int is_unspecified(parley_address a) {
  return a.high == 0 && (a.low == 0 || a.low == 0xFFFF00000000ull);
}
static uint64_t mapped(struct in_addr a) { return 0xFFFF00000000ull | ntohl(a.s_addr); }

parley_address parley_address_read(const struct sockaddr *address) {
  parley_address out = {0, 0, 0};
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *in = (const void *)address;
    out.low = mapped(in->sin_addr);
    out.port = ntohs(in->sin_port);
  } else if (address->sa_family == AF_INET6) {
    const struct sockaddr_in6 *in = (const void *)address;
    out.high = read_be64(in->sin6_addr.s6_addr);
    out.low = read_be64(in->sin6_addr.s6_addr + 8);
    out.port = ntohs(in->sin6_port);
  }
  return out;
}

socklen_t parley_address_write(parley_address address, int family, struct sockaddr_storage *out) {
  if (family == AF_INET) {
    if (!is_v4(address) && !is_unspecified(address)) return 0;
    struct sockaddr_in *in = (void *)out;
    memset(in, 0, sizeof *in);
    in->sin_family = AF_INET;
    in->sin_port = htons(address.port);
    in->sin_addr.s_addr = htonl((uint32_t)address.low);
    return sizeof *in;
  }
  struct sockaddr_in6 *in = (void *)out;
  memset(in, 0, sizeof *in);
  in->sin6_family = AF_INET6;
  in->sin6_port = htons(address.port);
  write_be64(address.high, in->sin6_addr.s6_addr);
  write_be64(address.low, in->sin6_addr.s6_addr + 8);
  return sizeof *in;
}

// MARK: epoll

int parley_epoll_create(void) {
  int fd = epoll_create1(EPOLL_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

int parley_event_create(void) {
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int parley_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
  struct epoll_event e = {.events = events, .data.u64 = token};
  return epoll_ctl(epoll, operation, descriptor, &e) == 0 ? 0 : -errno;
}

int parley_epoll_wait(int epoll, parley_event *events, int capacity, int64_t timeout) {
  static int without_pwait2 = 0;  // set once where the kernel or a sandbox lacks the call
  struct epoll_event raw[128];
  if (capacity > 128) capacity = 128;
  int n = -1;
  if (!__atomic_load_n(&without_pwait2, __ATOMIC_RELAXED)) {
    struct timespec t = {timeout / 1000000000, timeout % 1000000000};
    n = epoll_pwait2(epoll, raw, capacity, timeout < 0 ? NULL : &t, NULL);
    if (n < 0 && (errno == ENOSYS || errno == EPERM)) {
      __atomic_store_n(&without_pwait2, 1, __ATOMIC_RELAXED);
    } else if (n < 0) {
      return -errno;
    }
  }
  if (n < 0) {
    int64_t ms = timeout < 0 ? -1 : (timeout + 999999) / 1000000;
    n = epoll_wait(epoll, raw, capacity, ms > 3600000 ? 3600000 : (int)ms);
    if (n < 0) return -errno;
  }
  for (int i = 0; i < n; i++) {
    events[i].token = raw[i].data.u64;
    events[i].events = raw[i].events;
  }
  return n;
}

// MARK: threads

struct start {
  void (*body)(void *);
  void *argument;
  char name[16];
};

static void *run(void *raw) {
  struct start s = *(struct start *)raw;
  free(raw);
  pthread_setname_np(pthread_self(), s.name);
  s.body(s.argument);
  return NULL;
}

int parley_thread_start(
    pthread_t *thread, const char *name, int cpu, void (*body)(void *), void *argument) {
  struct start *s = malloc(sizeof *s);
  if (!s) return ENOMEM;
  s->body = body;
  s->argument = argument;
  memset(s->name, 0, sizeof s->name);
  strncpy(s->name, name, sizeof s->name - 1);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (cpu >= 0 && cpu < CPU_SETSIZE) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
  }
  // Signals belong to the thread that waits for them, not to whichever loop happens to run.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int rc = pthread_create(thread, &attributes, run, s);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (rc) free(s);
  return rc;
}

// MARK: sockets

int parley_set_option(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof value) == 0 ? 0 : -errno;
}

int parley_get_option(int fd, int level, int name) {
  int value = 0;
  socklen_t length = sizeof value;
  return getsockopt(fd, level, name, &value, &length) == 0 ? value : -errno;
}

uint32_t parley_receive_drops(int fd) {
  uint32_t values[9] = {0};
  socklen_t length = sizeof values;
  // SO_MEMINFO (Linux 4.12) gives what `ss -m` shows; the last of its values is SK_MEMINFO_DROPS.
  if (getsockopt(fd, SOL_SOCKET, 55, values, &length) != 0 || length < sizeof values) return 0;
  return values[8];
}

int parley_open_bound(int type, parley_address address, int dual_stack, int backlog) {
  int family = is_v4(address) ? AF_INET : AF_INET6;
  int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  int one = 1, v6_only = !dual_stack;
  if (type == SOCK_STREAM) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof v6_only);
  struct sockaddr_storage storage;
  socklen_t length = parley_address_write(address, family, &storage);
  if (bind(fd, (struct sockaddr *)&storage, length) || (type == SOCK_STREAM && listen(fd, backlog))) {
    int error = errno;
    close(fd);
    return -error;
  }
  return fd;
}

int parley_open_unix(const char *path, int backlog) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length > PARLEY_SOCKET_PATH) return -ENAMETOOLONG;
  memcpy(name.sun_path, path, length + 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  // Before it is bound: the file gets the mode of the socket, and is never open to others.
  if (fchmod(fd, 0600) || bind(fd, (struct sockaddr *)&name, sizeof name) || listen(fd, backlog)) {
    int error = errno;
    close(fd);
    return -error;
  }
  return fd;
}

parley_address parley_local_address(int fd) {
  struct sockaddr_storage storage;
  memset(&storage, 0, sizeof storage);
  socklen_t length = sizeof storage;
  getsockname(fd, (struct sockaddr *)&storage, &length);
  return parley_address_read((struct sockaddr *)&storage);
}

parley_address parley_peer_address(int fd) {
  struct sockaddr_storage storage;
  memset(&storage, 0, sizeof storage);
  socklen_t length = sizeof storage;
  getpeername(fd, (struct sockaddr *)&storage, &length);
  return parley_address_read((struct sockaddr *)&storage);
}

int parley_accept(int fd, parley_address *peer) {
  struct sockaddr_storage storage;
  memset(&storage, 0, sizeof storage);
  socklen_t length = sizeof storage;
  int accepted = accept4(fd, (struct sockaddr *)&storage, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (accepted < 0) return -errno;
  *peer = parley_address_read((struct sockaddr *)&storage);
  return accepted;
}

// MARK: UDP receiving

#define RECEIVE_CONTROL 96

struct parley_receive_slab {
  uint32_t slots;
  uint32_t slot_size;
  size_t mapped;
  uint8_t *buffers;
  struct mmsghdr *headers;
  struct iovec *vectors;
  struct sockaddr_storage *names;
  uint8_t *controls;
};

static size_t align_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

parley_receive_slab *parley_receive_slab_create(uint32_t slots, uint32_t slot_size) {
  if (slots == 0 || slots > 1024 || slot_size < 2048 || slot_size > 65536) return NULL;
  size_t head = align_up(sizeof(parley_receive_slab), 64);
  size_t headers = align_up(slots * sizeof(struct mmsghdr), 64);
  size_t vectors = align_up(slots * sizeof(struct iovec), 64);
  size_t names = align_up(slots * sizeof(struct sockaddr_storage), 64);
  size_t controls = align_up((size_t)slots * RECEIVE_CONTROL, 64);
  size_t meta = align_up(head + headers + vectors + names + controls, 4096);
  size_t total = meta + (size_t)slots * slot_size;
  uint8_t *base =
      mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return NULL;
  // Huge pages would make megabytes resident for a few packets.
  madvise(base, total, MADV_NOHUGEPAGE);
  parley_receive_slab *slab = (void *)base;
  slab->slots = slots;
  slab->slot_size = slot_size;
  slab->mapped = total;
  slab->headers = (void *)(base + head);
  slab->vectors = (void *)(base + head + headers);
  slab->names = (void *)(base + head + headers + vectors);
  slab->controls = base + head + headers + vectors + names;
  slab->buffers = base + meta;
  for (uint32_t i = 0; i < slots; i++) {
    slab->vectors[i].iov_base = slab->buffers + (size_t)i * slot_size;
    slab->vectors[i].iov_len = slot_size;
    slab->headers[i].msg_hdr.msg_name = &slab->names[i];
    slab->headers[i].msg_hdr.msg_iov = &slab->vectors[i];
    slab->headers[i].msg_hdr.msg_iovlen = 1;
    slab->headers[i].msg_hdr.msg_control = slab->controls + (size_t)i * RECEIVE_CONTROL;
  }
  return slab;
}

void parley_receive_slab_destroy(parley_receive_slab *slab) { munmap(slab, slab->mapped); }

int parley_receive(parley_receive_slab *slab, int fd) {
  for (uint32_t i = 0; i < slab->slots; i++) {
    slab->headers[i].msg_hdr.msg_namelen = sizeof(struct sockaddr_storage);
    slab->headers[i].msg_hdr.msg_controllen = RECEIVE_CONTROL;
  }
  int n = recvmmsg(fd, slab->headers, slab->slots, MSG_DONTWAIT, NULL);
  return n < 0 ? -errno : n;
}

parley_received parley_receive_at(parley_receive_slab *slab, uint32_t index, uint16_t local_port) {
  parley_received out;
  memset(&out, 0, sizeof out);
  if (index >= slab->slots) return out;
  struct msghdr *header = &slab->headers[index].msg_hdr;
  out.bytes = slab->buffers + (size_t)index * slab->slot_size;
  out.length = header->msg_flags & MSG_TRUNC ? 0 : slab->headers[index].msg_len;
  out.segment = out.length;
  out.remote = parley_address_read((struct sockaddr *)&slab->names[index]);
  out.local.port = local_port;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
      struct in_pktinfo info;
      memcpy(&info, CMSG_DATA(c), sizeof info);
      out.local.high = 0;
      out.local.low = mapped(info.ipi_spec_dst);
    } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
      struct in6_pktinfo info;
      memcpy(&info, CMSG_DATA(c), sizeof info);
      out.local.high = read_be64(info.ipi6_addr.s6_addr);
      out.local.low = read_be64(info.ipi6_addr.s6_addr + 8);
    } else if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO) {
      int segment = 0;
      memcpy(&segment, CMSG_DATA(c), sizeof segment);
      if (segment > 0 && (uint32_t)segment < out.length) out.segment = (uint32_t)segment;
    }
  }
  return out;
}

// MARK: UDP sending

#define SEND_MESSAGES 64
#define SEND_CONTROL (CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(uint16_t)))

int parley_send(int fd, int family, const parley_message *messages, uint32_t count) {
  struct mmsghdr headers[SEND_MESSAGES];
  struct iovec vectors[SEND_MESSAGES];
  struct sockaddr_storage names[SEND_MESSAGES];
  _Alignas(struct cmsghdr) uint8_t controls[SEND_MESSAGES][SEND_CONTROL];
  if (count > SEND_MESSAGES) count = SEND_MESSAGES;
  for (uint32_t i = 0; i < count; i++) {
    const parley_message *m = &messages[i];
    struct msghdr *h = &headers[i].msg_hdr;
    h->msg_name = &names[i];
    h->msg_namelen = parley_address_write(m->to, family, &names[i]);
    if (h->msg_namelen == 0) {
      if (i == 0) return -EAFNOSUPPORT;
      count = i;
      break;
    }
    vectors[i].iov_base = (void *)m->bytes;
    vectors[i].iov_len = m->length;
    h->msg_iov = &vectors[i];
    h->msg_iovlen = 1;
    h->msg_flags = 0;
    h->msg_control = controls[i];
    size_t used = 0;
    if (!is_unspecified(m->from)) {
      struct cmsghdr *c = (void *)controls[i];
      if (family == AF_INET) {
        struct in_pktinfo info;
        memset(&info, 0, sizeof info);
        info.ipi_spec_dst.s_addr = htonl((uint32_t)m->from.low);
        c->cmsg_level = IPPROTO_IP;
        c->cmsg_type = IP_PKTINFO;
        c->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(c), &info, sizeof info);
        used = CMSG_SPACE(sizeof info);
      } else {
        struct in6_pktinfo info;
        memset(&info, 0, sizeof info);
        write_be64(m->from.high, info.ipi6_addr.s6_addr);
        write_be64(m->from.low, info.ipi6_addr.s6_addr + 8);
        c->cmsg_level = IPPROTO_IPV6;
        c->cmsg_type = IPV6_PKTINFO;
        c->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(c), &info, sizeof info);
        used = CMSG_SPACE(sizeof info);
      }
    }
    if (m->segment && m->segment < m->length) {
      struct cmsghdr *c = (void *)(controls[i] + used);
      c->cmsg_level = SOL_UDP;
      c->cmsg_type = UDP_SEGMENT;
      c->cmsg_len = CMSG_LEN(sizeof(uint16_t));
      memcpy(CMSG_DATA(c), &m->segment, sizeof(uint16_t));
      used += CMSG_SPACE(sizeof(uint16_t));
    }
    h->msg_controllen = used;
    if (used == 0) h->msg_control = NULL;
  }
  int sent = count == 1 ? (sendmsg(fd, &headers[0].msg_hdr, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 1)
                        : sendmmsg(fd, headers, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent < 0 ? -errno : sent;
}

// MARK: addresses

int parley_source_address(parley_address remote, parley_address *out) {
  int family = is_v4(remote) ? AF_INET : AF_INET6;
  int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  struct sockaddr_storage storage;
  socklen_t length = parley_address_write(remote, family, &storage);
  int result = 0;
  if (connect(fd, (struct sockaddr *)&storage, length)) {
    result = -errno;
  } else {
    *out = parley_local_address(fd);
  }
  close(fd);
  return result;
}

int parley_resolve(const char *host, const char *port, parley_address *out, int capacity) {
  struct addrinfo hints, *list = NULL;
  memset(&hints, 0, sizeof hints);
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  int rc = getaddrinfo(host, port, &hints, &list);
  if (rc) return rc < 0 ? rc : -rc;
  int count = 0;
  for (struct addrinfo *i = list; i && count < capacity; i = i->ai_next) {
    if (i->ai_family != AF_INET && i->ai_family != AF_INET6) continue;
    out[count++] = parley_address_read(i->ai_addr);
  }
  freeaddrinfo(list);
  return count;
}

int parley_connect_start(parley_address address) {
  int family = is_v4(address) ? AF_INET : AF_INET6;
  int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  struct sockaddr_storage storage;
  socklen_t length = parley_address_write(address, family, &storage);
  if (connect(fd, (struct sockaddr *)&storage, length) && errno != EINPROGRESS) {
    int error = errno;
    close(fd);
    return -error;
  }
  return fd;
}

int parley_interfaces(parley_interface *out, int capacity) {
  struct ifaddrs *list = NULL;
  if (getifaddrs(&list)) return -errno;
  int count = 0;
  for (struct ifaddrs *i = list; i && count < capacity; i = i->ifa_next) {
    if (!i->ifa_addr || !(i->ifa_flags & IFF_UP) || !(i->ifa_flags & IFF_RUNNING)) continue;
    if (i->ifa_addr->sa_family == AF_INET6) {
      const struct sockaddr_in6 *in = (const void *)i->ifa_addr;
      if (IN6_IS_ADDR_LINKLOCAL(&in->sin6_addr)) continue;
    } else if (i->ifa_addr->sa_family != AF_INET) {
      continue;
    }
    parley_interface *entry = &out[count++];
    memset(entry, 0, sizeof *entry);
    strncpy(entry->name, i->ifa_name, sizeof entry->name - 1);
    entry->index = if_nametoindex(i->ifa_name);
    entry->is_loopback = (i->ifa_flags & IFF_LOOPBACK) != 0;
    entry->is_point_to_point = (i->ifa_flags & IFF_POINTOPOINT) != 0;
    entry->address = parley_address_read(i->ifa_addr);
  }
  freeifaddrs(list);
  return count;
}

int parley_netlink_open(void) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (fd < 0) return -errno;
  struct sockaddr_nl address;
  memset(&address, 0, sizeof address);
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
  if (bind(fd, (struct sockaddr *)&address, sizeof address)) {
    int error = errno;
    close(fd);
    return -error;
  }
  return fd;
}

int parley_netlink_drain(int fd) {
  char buffer[8192];
  int any = 0;
  for (;;) {
    ssize_t n = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n > 0) {
      any = 1;
    } else if (n < 0 && errno == ENOBUFS) {
      // Messages were lost; whatever they said, something has changed.
      any = 1;
    } else if (!(n < 0 && errno == EINTR)) {
      return any;
    }
  }
}

int parley_timer_create(void) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

void parley_timer_set(int fd, int64_t nanoseconds) {
  struct itimerspec spec;
  memset(&spec, 0, sizeof spec);
  spec.it_value.tv_sec = nanoseconds / 1000000000;
  spec.it_value.tv_nsec = nanoseconds % 1000000000;
  timerfd_settime(fd, 0, &spec, NULL);
}

void parley_error_text(int code, char *out, int capacity) {
  out[0] = 0;
  const char *text = strerror_r(code, out, (size_t)capacity);
  if (text != out) strncpy(out, text, (size_t)capacity - 1);
}

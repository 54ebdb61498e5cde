// libwebsockets waits with poll(), which looks at every socket at every event. Debian builds it without the callbacks
// for a loop of one's own, and its plug-ins for event loops close TLS connections without waiting for the peer. So the
// call itself is replaced: on a thread that has a poller, epoll answers it. Questions and answers stay the same.
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

// Level-triggered epoll reports with the bits of poll.
_Static_assert(
    POLLIN == EPOLLIN && POLLPRI == EPOLLPRI && POLLOUT == EPOLLOUT && POLLERR == EPOLLERR && POLLHUP == EPOLLHUP &&
        POLLRDHUP == EPOLLRDHUP,
    "the bits of poll are those of epoll");

/// A descriptor as epoll knows it, found by its number.
typedef struct registration {
  /// Separates events of this file from those of an earlier one with the same number; 0 is none.
  uint32_t generation;
  uint32_t place;
  short events;
} registration;

/// A descriptor as it stood in the table of the last call.
typedef struct asked {
  int descriptor;
  short events;
} asked;

enum { BATCH = 256, NOTHING = -1 };

struct parley_poller {
  int epoll;
  int isBroken;
  uint32_t generation;
  registration *registrations;
  size_t registrationCapacity;
  asked *table;
  int *dropped;
  size_t tableCapacity;
  size_t count;
  parley_poller_counters counters;
  struct epoll_event events[BATCH];
};

static _Thread_local parley_poller *current;

parley_poller *parley_poller_create(void) {
  parley_poller *poller = calloc(1, sizeof *poller);
  if (!poller) return NULL;
  poller->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (poller->epoll < 0) {
    free(poller);
    return NULL;
  }
  return poller;
}

void parley_poller_destroy(parley_poller *poller) {
  if (!poller) return;
  if (current == poller) current = NULL;
  close(poller->epoll);
  free(poller->registrations);
  free(poller->table);
  free(poller->dropped);
  free(poller);
}

void parley_poller_use(parley_poller *poller) { current = poller; }

parley_poller_counters parley_poller_read(const parley_poller *poller) { return poller->counters; }

void parley_poller_forget(parley_poller *poller, int descriptor) {
  if (descriptor < 0 || (size_t)descriptor >= poller->registrationCapacity) return;
  registration *known = &poller->registrations[descriptor];
  known->generation = 0;
  // The table may hold the same number at the same place again.
  if (known->place < poller->count && poller->table[known->place].descriptor == descriptor)
    poller->table[known->place].descriptor = NOTHING;
}

/// Makes room for a number of descriptors in a table. Zero when there is no memory.
static int reserve_table(parley_poller *poller, size_t count) {
  if (count <= poller->tableCapacity) return 1;
  size_t capacity = count + count / 2;
  asked *table = realloc(poller->table, capacity * sizeof *table);
  if (!table) return 0;
  poller->table = table;
  // Each place of the old table may drop one.
  int *dropped = realloc(poller->dropped, capacity * sizeof *dropped);
  if (!dropped) return 0;
  poller->dropped = dropped;
  poller->tableCapacity = capacity;
  return 1;
}

static int reserve_registration(parley_poller *poller, size_t descriptor) {
  size_t old = poller->registrationCapacity;
  if (descriptor < old) return 1;
  size_t capacity = descriptor + descriptor / 2 + 64;
  registration *grown = realloc(poller->registrations, capacity * sizeof *grown);
  if (!grown) return 0;
  memset(grown + old, 0, (capacity - old) * sizeof *grown);
  poller->registrations = grown;
  poller->registrationCapacity = capacity;
  return 1;
}

/// Adds a descriptor, or changes what it is watched for. Zero when epoll does not take it.
static int watch(parley_poller *poller, int descriptor, short events) {
  registration *known = &poller->registrations[descriptor];
  int isNew = !known->generation;
  if (isNew && !(known->generation = ++poller->generation)) known->generation = ++poller->generation;
  known->events = events;
  struct epoll_event event = {
      .events = (uint16_t)events, .data.u64 = (uint64_t)known->generation << 32 | (uint32_t)descriptor};
  poller->counters.changes++;
  if (!epoll_ctl(poller->epoll, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event)) return 1;
  if (isNew && errno == EEXIST) return !epoll_ctl(poller->epoll, EPOLL_CTL_MOD, descriptor, &event);
  if (!isNew && errno == ENOENT) return !epoll_ctl(poller->epoll, EPOLL_CTL_ADD, descriptor, &event);
  return 0;
}

/// Has epoll watch what the table asks for. Zero when it cannot.
static int synchronise(parley_poller *poller, struct pollfd *table, size_t count) {
  if (!reserve_table(poller, count)) return 0;
  size_t dropped = 0;
  for (size_t place = 0; place < count; place++) {
    struct pollfd *entry = &table[place];
    entry->revents = 0;
    asked *last = &poller->table[place];
    int isKnown = place < poller->count;
    if (isKnown && last->descriptor == entry->fd && last->events == entry->events) continue;
    if (isKnown && last->descriptor >= 0) poller->dropped[dropped++] = last->descriptor;
    *last = (asked){entry->fd, entry->events};
    if (entry->fd < 0) continue;
    if (!reserve_registration(poller, (size_t)entry->fd)) return 0;
    registration *known = &poller->registrations[entry->fd];
    known->place = (uint32_t)place;
    if (known->generation && known->events == entry->events) continue;
    if (!watch(poller, entry->fd, entry->events)) return 0;
  }
  for (size_t place = count; place < poller->count; place++)
    if (poller->table[place].descriptor >= 0) poller->dropped[dropped++] = poller->table[place].descriptor;
  poller->count = count;
  for (size_t index = 0; index < dropped; index++) {
    int descriptor = poller->dropped[index];
    registration *known = &poller->registrations[descriptor];
    // It may have moved to another place.
    if (!known->generation || (known->place < count && table[known->place].fd == descriptor)) continue;
    known->generation = 0;
    poller->counters.changes++;
    // One that is closed is gone already, unless another descriptor holds its file: see `restart`.
    epoll_ctl(poller->epoll, EPOLL_CTL_DEL, descriptor, NULL);
  }
  return 1;
}

/// Starts again with a new set. A descriptor that was closed while another one of its file is open stays registered and
/// goes on reporting, and nothing but the end of the epoll descriptor ends that.
static int restart(parley_poller *poller) {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return 0;
  close(poller->epoll);
  poller->epoll = epoll;
  poller->count = 0;
  poller->counters.restarts++;
  for (size_t index = 0; index < poller->registrationCapacity; index++) poller->registrations[index].generation = 0;
  return 1;
}

static int wait_plainly(struct pollfd *table, nfds_t count, int timeout) {
  struct timespec time = {timeout / 1000, timeout % 1000 * 1000000L};
  return ppoll(table, count, timeout < 0 ? NULL : &time, NULL);
}

int parley_poller_wait(parley_poller *poller, struct pollfd *table, size_t count, int timeout) {
  if (poller->isBroken) return wait_plainly(table, count, timeout);
  if (!synchronise(poller, table, count)) {
    poller->isBroken = 1;
    return wait_plainly(table, count, timeout);
  }
  if (timeout) poller->counters.waits++;
  // The library rounds the time until its next timer down. Without the millisecond more it would ask with 0, again and
  // again, until that timer is due.
  int came = epoll_wait(poller->epoll, poller->events, BATCH, timeout > 0 && timeout < INT_MAX ? timeout + 1 : timeout);
  if (came < 0) return came;
  int ready = 0, isStale = 0;
  for (int index = 0; index < came; index++) {
    const struct epoll_event *event = &poller->events[index];
    size_t descriptor = (uint32_t)event->data.u64;
    const registration *known = &poller->registrations[descriptor];
    if (known->generation != (uint32_t)(event->data.u64 >> 32)) {
      isStale = 1;
      continue;
    }
    short reported = (short)(event->events & (uint16_t)(known->events | POLLERR | POLLHUP));
    if (!reported) continue;
    table[known->place].revents = reported;
    ready++;
  }
  if (isStale && !restart(poller)) poller->isBroken = 1;
  return ready;
}

// Also what the library calls, since the program's own functions come before those of the C library. Otherwise
// libwebsockets waits as it did before.
int poll(struct pollfd *table, nfds_t count, int timeout) {
  parley_poller *poller = current;
  // Few are looked at as fast, and code that libwebsockets calls may wait for some of its own.
  if (!poller || count < PARLEY_POLLER_LEAST) return wait_plainly(table, count, timeout);
  return parley_poller_wait(poller, table, count, timeout);
}

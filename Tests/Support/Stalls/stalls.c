// Stalls threads at random where the order of things between threads is decided: around what goes over sockets, and
// when a task is made ready. Loaded before everything else (`Scripts/swift-test stalled`), it brings out in one run the
// orders that a quiet machine shows once in a thousand. A test or a product that relies on one order fails under it.
//
// STALL_SEED: which stalls there are, as far as threads are the same (default 1).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static uint64_t seed = 1;
static atomic_uint threads;

// One of 8 passes is stalled, for up to 4 ms; one of 128 for 20 ms, which is longer than most things take that somebody
// may rely on.
static void stall(void) {
  static _Thread_local uint64_t state;
  if (state == 0) state = (seed * 0x9E3779B97F4A7C15u) ^ ((atomic_fetch_add(&threads, 1) + 1) * 0xD1B54A32D192ED03u);
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  long microseconds = state % 128 == 0 ? 20000 : state % 8 == 0 ? (long)((state >> 32) % 4000) : 0;
  if (microseconds == 0) return;
  int saved = errno;
  struct timespec time = {0, microseconds * 1000};
  nanosleep(&time, NULL);
  errno = saved;
}

static int is_socket(int descriptor) {
  struct stat info;
  int saved = errno;
  int result = fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode);
  errno = saved;
  return result;
}

#define ORIGINAL(name) \
  static __typeof__(&name) original; \
  if (!original) original = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

// Sent bytes may be answered before the sender does anything else.
ssize_t send(int s, const void *b, size_t n, int f) {
  ORIGINAL(send);
  ssize_t result = original(s, b, n, f);
  stall();
  return result;
}

ssize_t sendto(int s, const void *b, size_t n, int f, const struct sockaddr *a, socklen_t l) {
  ORIGINAL(sendto);
  ssize_t result = original(s, b, n, f, a, l);
  stall();
  return result;
}

ssize_t sendmsg(int s, const struct msghdr *m, int f) {
  ORIGINAL(sendmsg);
  ssize_t result = original(s, m, f);
  stall();
  return result;
}

int sendmmsg(int s, struct mmsghdr *m, unsigned n, int f) {
  ORIGINAL(sendmmsg);
  int result = original(s, m, n, f);
  stall();
  return result;
}

ssize_t write(int d, const void *b, size_t n) {
  ORIGINAL(write);
  ssize_t result = original(d, b, n);
  if (is_socket(d)) stall();
  return result;
}

ssize_t writev(int d, const struct iovec *v, int n) {
  ORIGINAL(writev);
  ssize_t result = original(d, v, n);
  if (is_socket(d)) stall();
  return result;
}

// Bytes that have come may be read late.
ssize_t recv(int s, void *b, size_t n, int f) {
  ORIGINAL(recv);
  stall();
  return original(s, b, n, f);
}

ssize_t recvfrom(int s, void *b, size_t n, int f, struct sockaddr *a, socklen_t *l) {
  ORIGINAL(recvfrom);
  stall();
  return original(s, b, n, f, a, l);
}

ssize_t recvmsg(int s, struct msghdr *m, int f) {
  ORIGINAL(recvmsg);
  stall();
  return original(s, m, f);
}

ssize_t read(int d, void *b, size_t n) {
  ORIGINAL(read);
  if (is_socket(d)) stall();
  return original(d, b, n);
}

int close(int d) {
  ORIGINAL(close);
  int isSocket = is_socket(d);
  if (isSocket) stall();
  int result = original(d);
  if (isSocket) stall();
  return result;
}

// A task that was made ready may begin before its maker goes on, or long after.
typedef __attribute__((swiftcall)) void (*Enqueue)(void *job);

static __attribute__((swiftcall)) void enqueue(void *job, Enqueue original) {
  stall();
  original(job);
  stall();
}

__attribute__((constructor)) static void install(void) {
  const char *text = getenv("STALL_SEED");
  if (text && *text) seed = 2 * strtoull(text, NULL, 10) + 1;
  void **hook = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
  if (hook) *hook = (void *)enqueue;
}

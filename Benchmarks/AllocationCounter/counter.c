// Counts heap allocations of an unmodified program: LD_PRELOAD this library, and set ALLOCATION_COUNTER to a file. The
// file is mapped and holds, as 64-bit little-endian numbers that only grow: allocations of all threads, their bytes,
// allocations of threads whose name starts with "media-", their bytes. Read it whenever you like: od -A n -t u8
// /tmp/allocations
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t fallback[4];
static volatile uint64_t *counts = fallback;
static __thread int kind;  // 0 not known yet, 1 media thread, 2 another

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

__attribute__((constructor)) static void open_counters(void) {
  const char *path = getenv("ALLOCATION_COUNTER");
  if (!path) return;
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (ftruncate(fd, 4096) == 0) {
    void *map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED) counts = map;
  }
  close(fd);
}

static void count(size_t bytes) {
  if (kind == 0) {
    // A thread takes its name right after it starts; until it has one it is asked again.
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    if (strncmp(name, "media-", 6) == 0) kind = 1;
  }
  __atomic_fetch_add(&counts[0], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counts[1], bytes, __ATOMIC_RELAXED);
  if (kind == 1) {
    __atomic_fetch_add(&counts[2], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counts[3], bytes, __ATOMIC_RELAXED);
  }
}

void *malloc(size_t size) { count(size); return __libc_malloc(size); }
void *calloc(size_t n, size_t size) { count(n * size); return __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { count(size); return __libc_realloc(old, size); }
void *memalign(size_t align, size_t size) { count(size); return __libc_memalign(align, size); }
void *aligned_alloc(size_t align, size_t size) { count(size); return __libc_memalign(align, size); }
int posix_memalign(void **out, size_t align, size_t size) {
  count(size);
  *out = __libc_memalign(align, size);
  return *out ? 0 : 12;
}

// For programs that look at themselves: the number of allocations of all threads.
uint64_t allocation_count(void) { return counts[0]; }

// The runtime calls its functions for references and objects through pointers that tools may set (HeapObject.cpp). So
// they can be counted in a release build without changing it, however it is linked.
#include "RuntimeCounter.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "AllocationCounter.h"

extern atomic_bool _swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly;
extern void *(*_swift_retain)(void *);
extern void *(*_swift_retain_n)(void *, uint32_t);
extern void (*_swift_release)(void *);
extern void (*_swift_release_n)(void *, uint32_t);
extern void *(*_swift_allocObject)(const void *, size_t, size_t);

static void *(*real_retain)(void *);
static void *(*real_retain_n)(void *, uint32_t);
static void (*real_release)(void *);
static void (*real_release_n)(void *, uint32_t);
static void *(*real_alloc)(const void *, size_t, size_t);

static runtime_counts counts[RUNTIME_WORK_KINDS];
static int current;
static uint64_t allocations_before;

static void *counted_retain(void *object) {
  counts[current].retains++;
  return real_retain(object);
}

static void *counted_retain_n(void *object, uint32_t n) {
  counts[current].retains += n;
  return real_retain_n(object, n);
}

static void counted_release(void *object) {
  counts[current].releases++;
  real_release(object);
}

static void counted_release_n(void *object, uint32_t n) {
  counts[current].releases += n;
  real_release_n(object, n);
}

static void *counted_alloc(const void *type, size_t size, size_t mask) {
  counts[current].objects++;
  return real_alloc(type, size, mask);
}

void runtime_counting_begin(void) {
  if (real_retain) return;
  real_retain = _swift_retain;
  real_retain_n = _swift_retain_n;
  real_release = _swift_release;
  real_release_n = _swift_release_n;
  real_alloc = _swift_allocObject;
  _swift_retain = counted_retain;
  _swift_retain_n = counted_retain_n;
  _swift_release = counted_release;
  _swift_release_n = counted_release_n;
  _swift_allocObject = counted_alloc;
  allocations_before = allocation_count();
  atomic_store(&_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly, true);
}

void runtime_work(int kind) {
  if (!real_retain) return;
  uint64_t now = allocation_count();
  counts[current].allocations += now - allocations_before;
  allocations_before = now;
  if (kind >= 0 && kind < RUNTIME_WORK_KINDS) current = kind;
}

runtime_counts runtime_counted(int kind) {
  runtime_work(current);
  return kind >= 0 && kind < RUNTIME_WORK_KINDS ? counts[kind] : (runtime_counts){0};
}

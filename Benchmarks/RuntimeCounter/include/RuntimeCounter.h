// Counts what a program asks of the Swift runtime and of the heap, apart for each kind of work that it says it does.
// For one thread.
#pragma once
#include <stdint.h>

#define RUNTIME_WORK_KINDS 4

typedef struct {
  uint64_t retains;
  uint64_t releases;
  // Objects, and buffers of arrays.
  uint64_t objects;
  // All of the heap, objects among them.
  uint64_t allocations;
} runtime_counts;

// From here on references are counted, once and permanently.
void runtime_counting_begin(void);

// Counts the following work as this kind, 0 to RUNTIME_WORK_KINDS - 1.
void runtime_work(int kind);

// The counts of the work of this kind.
runtime_counts runtime_counted(int kind);

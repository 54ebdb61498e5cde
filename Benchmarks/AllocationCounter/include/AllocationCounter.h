// Linked into a program, this counts its heap allocations; preloaded (see counter.c) those of any other.
#pragma once
#include <stdint.h>

// The number of heap allocations of all threads so far.
uint64_t allocation_count(void);

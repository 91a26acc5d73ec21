#define _GNU_SOURCE
#include "CProcess.h"

#include <malloc.h>
#include <sched.h>

void tune_memory(void) {
    cpu_set_t processors;
    int count = sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 2;
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    mallopt(M_ARENA_MAX, count < 2 ? 2 : count > 4 ? 4 : count);
}

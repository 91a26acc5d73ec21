#include "CFiles.h"

#include <malloc.h>

void tune_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    // Memory that is given back is soon needed again, and costs a fault for each page.
    mallopt(M_TRIM_THRESHOLD, 32 << 20);
    mallopt(M_TOP_PAD, 4 << 20);
    // With fewer, the threads that are always busy wait for each other's; with more, a refresh takes more memory.
    mallopt(M_ARENA_MAX, 4);
}

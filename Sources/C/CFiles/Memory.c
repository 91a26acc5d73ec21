#include "CFiles.h"

#include <malloc.h>

void tune_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
    // A heap grows by a call to the system each time.
    mallopt(M_TOP_PAD, 1 << 20);
    // With fewer, the threads that are always busy wait for each other's; with more, a refresh takes more memory.
    mallopt(M_ARENA_MAX, 4);
}

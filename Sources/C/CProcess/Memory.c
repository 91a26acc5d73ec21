#include "CProcess.h"

#include <malloc.h>

void give_large_blocks_back(void) { mallopt(M_MMAP_THRESHOLD, 1 << 20); }

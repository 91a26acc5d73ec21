#define _GNU_SOURCE
#include "CFiles.h"
#include <fcntl.h>

int begin_writeback(int descriptor) { return sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); }

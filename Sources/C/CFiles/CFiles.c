#define _GNU_SOURCE
#include "CFiles.h"
#include <fcntl.h>
#include <unistd.h>

int begin_writeback(int descriptor) { return sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); }

int lock_byte(int descriptor, long long offset) {
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
    return fcntl(descriptor, F_OFD_SETLK, &range);
}

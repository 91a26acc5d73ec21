// Calls that Swift's Glibc module does not show: two hide behind a feature macro, one behind a struct of the same name,
// one is in a header it leaves out.
#pragma once

#include <malloc.h>
#include <sys/file.h>

extern int syncfs(int descriptor);

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: begins to write a file to the disk, and does not wait for it.
int begin_writeback(int descriptor);

/// flock(2): exclusive, without waiting.
static inline int flock_exclusive(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

// Calls that Swift's Glibc module does not offer: two are hidden by a feature macro, one by a struct of the same name,
// and one is in a header that the module omits.
#pragma once

#include <malloc.h>
#include <sys/file.h>

extern int syncfs(int descriptor);

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: starts writing a file to disk without waiting for it.
int begin_writeback(int descriptor);

/// flock(2): exclusive, without waiting.
static inline int flock_exclusive(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

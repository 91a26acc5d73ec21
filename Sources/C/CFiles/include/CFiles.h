// Calls that Swift's Glibc module does not offer, because a feature macro or a struct of the same name hides them or
// because the module omits their header, and facts about this process that Swift does not expose.
#pragma once

#include <malloc.h>
#include <stddef.h>
#include <sys/file.h>

extern int syncfs(int descriptor);
extern void *memrchr(const void *start, int byte, size_t count);

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: starts writing a file to disk without waiting for it.
int begin_writeback(int descriptor);

/// flock(2): exclusive, without waiting.
static inline int flock_exclusive(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

/// flock(2): exclusive.
static inline int flock_awaited(int descriptor) { return flock(descriptor, LOCK_EX); }

/// fcntl(2): an exclusive lock on one byte, held until the descriptor is closed, without waiting. Returns 0, or sets errno.
int lock_byte(int descriptor, long long offset);

// The command line as the C library passes it to initializers. Swift reads it from /proc, which costs time at every
// start and fails if /proc is not mounted.

int argument_count(void);

/// NULL if there are not that many.
const char *argument_at(int index);

/// Makes freed blocks over 1 MB return to the system at once: otherwise a refresh of ten thousand feeds, whose tables are
/// of that size, keeps several times the memory that it needs. Smaller blocks are kept for reuse, since the system clears
/// each page before handing it out again, but only 8 MB of them at the end of a heap. There are four arenas at most, since
/// each keeps blocks that the others lack.
void tune_memory(void);

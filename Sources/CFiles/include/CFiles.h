// Two system calls that Swift's Glibc module does not show: one hides behind a feature macro, the other behind a
// struct of the same name.
#pragma once

#include <sys/file.h>

extern int syncfs(int descriptor);

/// flock(2): exclusive, without waiting.
static inline int flock_exclusive(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

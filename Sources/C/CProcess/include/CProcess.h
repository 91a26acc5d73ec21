// Facts about this process that the C library knows and Swift does not expose.
#pragma once

// The command line as the C library passes it to initializers. Swift reads it from /proc, which costs time at every
// start and fails if /proc is not mounted.

int argument_count(void);

/// NULL if there are not that many.
const char *argument_at(int index);

/// Makes freed blocks over 1 MB return to the system at once: otherwise a refresh of ten thousand feeds, whose tables are
/// of that size, keeps several times the memory that it needs. Smaller blocks are kept for reuse, since the system clears
/// each page before handing it out again, but only 1 MB of them at the end of the heap. There are as many arenas as
/// processors, two to four: each keeps blocks that the others lack.
void tune_memory(void);

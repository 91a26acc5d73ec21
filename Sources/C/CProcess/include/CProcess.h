// What the C library knows of this process and Swift does not show.
#pragma once

// The words of the command line as the C library hands them to initialisers. Swift looks for them in /proc, which costs
// time at every start, and finds none where /proc is not mounted.

int argument_count(void);

/// NULL where there are not so many.
const char *argument_at(int index);

/// From now on blocks over 1 MB go back to the system as they are freed: else a refresh of ten thousand feeds, whose tables
/// are of that size, keeps several times what it needs. Smaller ones stay for reuse, up to 16 MB: a run has one feed of half
/// a megabyte after another, and each page that comes back from the system is cleared first.
void tune_memory(void);

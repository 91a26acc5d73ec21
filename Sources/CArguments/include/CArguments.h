// The words of the command line as the C library hands them to initialisers. Swift looks for them in /proc, which costs
// time at every start, and finds none where /proc is not mounted.
#pragma once

int argument_count(void);

/// NULL where there are not so many.
const char *argument_at(int index);

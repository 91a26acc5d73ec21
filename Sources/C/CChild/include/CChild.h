// Runs another program that must not outlive this one, whatever ends this one, kill -9 included.
//
// Between the two stands a keeper: a process without a program of its own, which waits for the end of the program or of a
// pipe that only this process holds. In both cases it kills the program's whole process group.
#pragma once

#include <sys/types.h>

typedef struct {
    // -1 if the keeper could not be made; `error` then says why.
    pid_t keeper;
    // Closing it ends the program.
    int hold;
    int report;
    int error;
} kept_child;

// Starts a program.
//
// path: of the program. words: its arguments, the first being its name, ended by NULL. folder: its working directory.
// output, errors: descriptors for its standard output and standard error; its standard input is empty.
// priority: as of nice(1), 0 to 19; with 19, the disk is left to others, too.
kept_child child_start(const char *path, char *const words[], const char *folder, int output, int errors, int priority);

// Waits up to that many milliseconds for the end of a started program.
//
// Returns 0 while it runs, 1 once it has ended: then `status` is its exit code, 128 and the signal that ended it, or the
// negated errno if it could not be started.
int child_wait(kept_child child, int milliseconds, int *status);

// Kills the program and its group, and waits until it has ended.
void child_end(kept_child child);

#include "CFiles.h"

#include <stddef.h>

static int count;
static char **words;

// glibc passes the arguments of main to functions in .init_array.
__attribute__((constructor)) static void keep(int argc, char **argv) {
    count = argc;
    words = argv;
}

int argument_count(void) { return count; }

const char *argument_at(int index) { return index < count ? words[index] : NULL; }

#define _GNU_SOURCE
#include "CUchardet.h"

#include "CDlopen.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

DLOPEN_NOTE(uchardet, "encodings", "Encodings that feeds do not name", "suggested", "libuchardet.so.0");

// As in uchardet.h, which is only in Debian's -dev package. The functions have been the same since the first release.
typedef struct uchardet *detector;

static struct {
    detector (*new)(void);
    void (*delete)(detector);
    int (*handle_data)(detector, const char *bytes, size_t count);
    void (*data_end)(detector);
    const char *(*get_charset)(detector);
} uchardet;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

static void load(void) {
    void *library = dlopen("libuchardet.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    bool all = true;
#define FIND(name) all = (uchardet.name = (__typeof__(uchardet.name))dlsym(library, "uchardet_" #name)) && all
    FIND(new);
    FIND(delete);
    FIND(handle_data);
    FIND(data_end);
    FIND(get_charset);
#undef FIND
    loaded = all;
}

bool uchardet_guess(const unsigned char *bytes, size_t count, char *name, size_t room) {
    pthread_once(&once, load);
    detector detector = loaded ? uchardet.new() : NULL;
    if (!detector) return false;
    bool isKnown = false;
    if (uchardet.handle_data(detector, (const char *)bytes, count) == 0) {
        uchardet.data_end(detector);
        const char *guess = uchardet.get_charset(detector);
        size_t length = strlen(guess);
        isKnown = length > 0 && length < room;
        if (isKnown) memcpy(name, guess, length + 1);
    }
    uchardet.delete(detector);
    return isKnown;
}

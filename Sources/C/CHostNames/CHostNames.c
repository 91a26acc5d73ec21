#include "CHostNames.h"

#include "CDlopen.h"

#include <dlfcn.h>
#include <idn2.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

DLOPEN_NOTE(idn2, "idn", "Internationalized host names", "recommended", "libidn2.so.0");

static struct {
    __typeof__(idn2_to_ascii_8z) *to_ascii;
    __typeof__(idn2_free) *free;
} idn;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

static void load(void) {
    void *library = dlopen("libidn2.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    idn.to_ascii = (__typeof__(idn.to_ascii))dlsym(library, "idn2_to_ascii_8z");
    idn.free = (__typeof__(idn.free))dlsym(library, "idn2_free");
    loaded = idn.to_ascii && idn.free;
}

host_name_result host_name_to_ascii(const char *utf8, char *ascii, size_t room) {
    pthread_once(&once, load);
    if (!loaded) return HOST_NAME_UNKNOWN;
    char *name = NULL;
    int code = idn.to_ascii(utf8, &name, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    if (code != IDN2_OK) return code == IDN2_MALLOC ? HOST_NAME_UNKNOWN : HOST_NAME_INVALID;
    size_t size = strlen(name) + 1;
    if (size <= room) memcpy(ascii, name, size);
    idn.free(name);
    return size <= room ? HOST_NAME_CONVERTED : HOST_NAME_INVALID;
}

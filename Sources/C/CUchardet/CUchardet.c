#include "CUchardet.h"

#include "CDlopen.h"

#include <string.h>

DLOPEN_NOTE(uchardet, "encodings", "Encodings that feeds do not name", "suggested", "libuchardet.so.0");

// Declared as in uchardet.h, which is only in Debian's -dev package. The functions are unchanged since the first
// release.
typedef struct uchardet *detector;

detector uchardet_new(void);
void uchardet_delete(detector);
int uchardet_handle_data(detector, const char *bytes, size_t count);
void uchardet_data_end(detector);
const char *uchardet_get_charset(detector);

#define FUNCTIONS(FUNCTION) \
    FUNCTION(uchardet_, new) FUNCTION(uchardet_, delete) FUNCTION(uchardet_, handle_data) \
    FUNCTION(uchardet_, data_end) FUNCTION(uchardet_, get_charset)
DLOPEN_LIBRARY(uchardet, "libuchardet.so.0", FUNCTIONS);

bool uchardet_guess(const unsigned char *bytes, size_t count, char *name, size_t room) {
    detector detector = dlopen_once(&uchardet_library) ? uchardet.new() : NULL;
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

#include "CHostNames.h"

#include "CDlopen.h"

#include <idn2.h>
#include <string.h>

DLOPEN_NOTE(idn2, "idn", "Internationalized host names", "recommended", "libidn2.so.0");

#define FUNCTIONS(FUNCTION) FUNCTION(idn2_, to_ascii_8z) FUNCTION(idn2_, free)
DLOPEN_LIBRARY(idn, "libidn2.so.0", FUNCTIONS);

host_name_result host_name_to_ascii(const char *utf8, char *ascii, size_t room) {
    if (!dlopen_once(&idn_library)) return HOST_NAME_UNKNOWN;
    char *name = NULL;
    int code = idn.to_ascii_8z(utf8, &name, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    if (code != IDN2_OK) return code == IDN2_MALLOC ? HOST_NAME_UNKNOWN : HOST_NAME_INVALID;
    size_t size = strlen(name) + 1;
    if (size <= room) memcpy(ascii, name, size);
    idn.free(name);
    return size <= room ? HOST_NAME_CONVERTED : HOST_NAME_INVALID;
}

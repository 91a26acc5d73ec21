#include "CPassword.h"

#include "CDlopen.h"

#include <crypt.h>
#include <stdlib.h>
#include <string.h>

DLOPEN_NOTE(crypt, "password", "Passwords of jimmy serve", "recommended", "libcrypt.so.1");

#define FUNCTIONS(FUNCTION) FUNCTION(crypt_, rn) FUNCTION(crypt_, gensalt_rn)
DLOPEN_LIBRARY(crypt_, "libcrypt.so.1", FUNCTIONS);

_Static_assert(PASSWORD_HASH_SIZE >= CRYPT_OUTPUT_SIZE, "every hash fits");

static bool hash_with(const char *password, const char *setting, char *hash) {
    struct crypt_data *data = calloc(1, sizeof *data);
    if (!data) return false;
    const char *result = crypt_.rn(password, setting, data, sizeof *data);
    if (result) strcpy(hash, result);
    memset(data, 0, sizeof *data);
    free(data);
    return result != NULL;
}

bool password_hash(const char *password, char *hash) {
    char salt[CRYPT_GENSALT_OUTPUT_SIZE];
    return dlopen_once(&crypt__library) && crypt_.gensalt_rn("$y$", 0, NULL, 0, salt, sizeof salt)
        && hash_with(password, salt, hash);
}

bool password_fits(const char *password, const char *hash) {
    char found[PASSWORD_HASH_SIZE];
    if (!dlopen_once(&crypt__library) || !hash_with(password, hash, found)) return false;
    size_t length = strlen(hash);
    if (strlen(found) != length) return false;
    unsigned char difference = 0;
    for (size_t index = 0; index < length; index++) difference |= (unsigned char)(found[index] ^ hash[index]);
    return difference == 0;
}

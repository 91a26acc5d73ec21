#include "CDigest.h"

#include "CDlopen.h"

#include <openssl/evp.h>

DLOPEN_NOTE(crypto, "digests", "Signing requests to Podcast Index, and checking downloads", "recommended", "libcrypto.so.3");

#define FUNCTIONS(FUNCTION) \
    FUNCTION(EVP_, get_digestbyname) FUNCTION(EVP_, MD_CTX_new) FUNCTION(EVP_, MD_CTX_free) \
    FUNCTION(EVP_, DigestInit_ex) FUNCTION(EVP_, DigestUpdate) FUNCTION(EVP_, DigestFinal_ex)
DLOPEN_LIBRARY(evp, "libcrypto.so.3", FUNCTIONS);

_Static_assert(DIGEST_MAX_SIZE >= EVP_MAX_MD_SIZE, "every digest fits");

digest *digest_new(const char *name) {
    if (!dlopen_once(&evp_library)) return NULL;
    const EVP_MD *kind = evp.get_digestbyname(name);
    EVP_MD_CTX *context = kind ? evp.MD_CTX_new() : NULL;
    if (!context) return NULL;
    if (evp.DigestInit_ex(context, kind, NULL) == 1) return (digest *)context;
    evp.MD_CTX_free(context);
    return NULL;
}

bool digest_add(digest *digest, const void *bytes, size_t count) {
    return evp.DigestUpdate((EVP_MD_CTX *)digest, bytes, count) == 1;
}

unsigned digest_finish(digest *digest, uint8_t *bytes) {
    unsigned count = 0;
    return evp.DigestFinal_ex((EVP_MD_CTX *)digest, bytes, &count) == 1 ? count : 0;
}

void digest_free(digest *digest) { evp.MD_CTX_free((EVP_MD_CTX *)digest); }

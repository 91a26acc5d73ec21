#include "CDigest.h"

#include "CDlopen.h"

#include <dlfcn.h>
#include <openssl/evp.h>
#include <pthread.h>

DLOPEN_NOTE(crypto, "podcast-index", "Signing requests to Podcast Index", "recommended", "libcrypto.so.3");

static struct {
    __typeof__(EVP_get_digestbyname) *get_digestbyname;
    __typeof__(EVP_MD_CTX_new) *MD_CTX_new;
    __typeof__(EVP_MD_CTX_free) *MD_CTX_free;
    __typeof__(EVP_DigestInit_ex) *DigestInit_ex;
    __typeof__(EVP_DigestUpdate) *DigestUpdate;
    __typeof__(EVP_DigestFinal_ex) *DigestFinal_ex;
} evp;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

static void load(void) {
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    bool all = true;
#define FIND(name) all = (evp.name = (__typeof__(evp.name))dlsym(library, "EVP_" #name)) && all
    FIND(get_digestbyname);
    FIND(MD_CTX_new);
    FIND(MD_CTX_free);
    FIND(DigestInit_ex);
    FIND(DigestUpdate);
    FIND(DigestFinal_ex);
#undef FIND
    loaded = all;
}

_Static_assert(DIGEST_MAX_SIZE >= EVP_MAX_MD_SIZE, "every digest fits");

digest *digest_new(const char *name) {
    pthread_once(&once, load);
    if (!loaded) return NULL;
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

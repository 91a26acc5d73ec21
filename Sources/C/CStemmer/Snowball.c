#include "Snowball.h"
#include "CDlopen.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

DLOPEN_NOTE(stemmer, "forms", "Inflected forms of words", "recommended", "libstemmer.so.0d");

enum { maxAlgorithms = 64 };

// Declared as in libstemmer.h, which is only in Debian's -dev package.
void *sb_stemmer_new(const char *algorithm, const char *encoding);
const unsigned char *sb_stemmer_stem(void *stemmer, const unsigned char *word, int length);
int sb_stemmer_length(void *stemmer);
void sb_stemmer_delete(void *stemmer);

#define FUNCTIONS(FUNCTION) \
    FUNCTION(sb_stemmer_, new) FUNCTION(sb_stemmer_, stem) FUNCTION(sb_stemmer_, length) FUNCTION(sb_stemmer_, delete)
DLOPEN_LIBRARY(snowball, "libstemmer.so.0d", FUNCTIONS);

static bool isLoaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t stemmers;

static void destroyAll(void *all) {
    for (int i = 0; i < maxAlgorithms; i++) if (((void **)all)[i]) snowball.delete(((void **)all)[i]);
    free(all);
}

static void load(void) {
    isLoaded = dlopen_once(&snowball_library) && pthread_key_create(&stemmers, destroyAll) == 0;
}

// A stemmer is not thread-safe, so each thread creates those that it needs.
static void *stemmer(const char *algorithm, int slot) {
    pthread_once(&once, load);
    if (!isLoaded) return NULL;
    void **all = pthread_getspecific(stemmers);
    if (!all) {
        all = calloc(maxAlgorithms, sizeof *all);
        if (!all || pthread_setspecific(stemmers, all) != 0) return NULL;
    }
    if (!all[slot]) all[slot] = snowball.new(algorithm, "UTF_8");
    return all[slot];
}

int SnowballStem(const char *algorithm, int slot, const char *word, int length, char *stem, int room) {
    void *self = stemmer(algorithm, slot);
    if (!self) return 0;
    const unsigned char *found = snowball.stem(self, (const unsigned char *)word, length);
    if (!found) return 0;
    int count = snowball.length(self);
    if (count <= 0 || count > room) return 0;
    memcpy(stem, found, (size_t)count);
    return count;
}

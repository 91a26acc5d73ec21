#define _GNU_SOURCE  // qsort_r
#include "Vocabulary.h"
#include <stdlib.h>
#include <string.h>

// Longer ones are no words; shorter ones need no spelling help.
enum { minWord = 2, maxWord = 32 };

typedef struct {
    uint32_t hash;
    uint32_t offset;  // in `bytes`
    uint32_t documents;
    uint32_t lastDocument;
    uint8_t length;  // 0: a free place of the table
} Entry;

struct CSQLiteVocabulary {
    Entry *table;  // open addressing; the capacity is a power of two
    uint32_t capacity, count;
    char *bytes;
    uint32_t byteCount, byteCapacity;
    uint32_t document;
    int sorted;
};

CSQLiteVocabulary *CSQLiteVocabularyCreate(void) { return calloc(1, sizeof(CSQLiteVocabulary)); }

void CSQLiteVocabularyFree(CSQLiteVocabulary *vocabulary) {
    if (!vocabulary) return;
    free(vocabulary->table);
    free(vocabulary->bytes);
    free(vocabulary);
}

void CSQLiteVocabularyReset(CSQLiteVocabulary *vocabulary) {
    free(vocabulary->table);
    free(vocabulary->bytes);
    memset(vocabulary, 0, sizeof *vocabulary);
}

void CSQLiteVocabularyBeginDocument(CSQLiteVocabulary *vocabulary) { vocabulary->document++; }

int CSQLiteVocabularyCount(const CSQLiteVocabulary *vocabulary) { return (int)vocabulary->count; }

static uint32_t hashOf(const char *word, int length) {
    uint32_t hash = 2166136261u;  // FNV-1a
    for (int i = 0; i < length; i++) hash = (hash ^ (unsigned char)word[i]) * 16777619u;
    return hash;
}

static int grow(CSQLiteVocabulary *v) {
    uint32_t capacity = v->capacity ? v->capacity * 2 : 1 << 12;
    Entry *table = calloc(capacity, sizeof(Entry));
    if (!table) return SQLITE_NOMEM;
    for (uint32_t i = 0; i < v->capacity; i++) {
        if (!v->table[i].length) continue;
        uint32_t place = v->table[i].hash & (capacity - 1);
        while (table[place].length) place = (place + 1) & (capacity - 1);
        table[place] = v->table[i];
    }
    free(v->table);
    v->table = table;
    v->capacity = capacity;
    return SQLITE_OK;
}

int CSQLiteVocabularyAdd(CSQLiteVocabulary *v, const char *word, int length) {
    if (length < minWord || length > maxWord || v->sorted) return SQLITE_OK;
    if (memcmp(word, "\xEF\xB7", 2) == 0) return SQLITE_OK;  // U+FDD0: a fact, not a word
    if (v->count * 2 >= v->capacity && grow(v)) return SQLITE_NOMEM;
    uint32_t hash = hashOf(word, length), place = hash & (v->capacity - 1);
    for (; v->table[place].length; place = (place + 1) & (v->capacity - 1)) {
        Entry *entry = &v->table[place];
        if (entry->hash != hash || entry->length != length || memcmp(v->bytes + entry->offset, word, (size_t)length)) continue;
        if (entry->lastDocument != v->document) {
            entry->lastDocument = v->document;
            entry->documents++;
        }
        return SQLITE_OK;
    }
    if (v->byteCount + (uint32_t)length > v->byteCapacity) {
        uint32_t capacity = v->byteCapacity ? v->byteCapacity * 2 : 1 << 16;
        char *bytes = realloc(v->bytes, capacity);
        if (!bytes) return SQLITE_NOMEM;
        v->bytes = bytes;
        v->byteCapacity = capacity;
    }
    memcpy(v->bytes + v->byteCount, word, (size_t)length);
    v->table[place] = (Entry){ hash, v->byteCount, 1, v->document, (uint8_t)length };
    v->byteCount += (uint32_t)length;
    v->count++;
    return SQLITE_OK;
}

static int inOrder(const void *a, const void *b, void *bytes) {
    const Entry *x = a, *y = b;
    size_t shorter = x->length < y->length ? x->length : y->length;
    int order = memcmp((char *)bytes + x->offset, (char *)bytes + y->offset, shorter);
    return order ? order : (int)x->length - (int)y->length;
}

void CSQLiteVocabularySort(CSQLiteVocabulary *v) {
    uint32_t filled = 0;
    for (uint32_t i = 0; i < v->capacity; i++) {
        if (v->table[i].length) v->table[filled++] = v->table[i];
    }
    if (filled) qsort_r(v->table, filled, sizeof(Entry), inOrder, v->bytes);
    v->sorted = 1;
}

const char *CSQLiteVocabularyWord(const CSQLiteVocabulary *v, int index, int *length, int *documents) {
    const Entry *entry = &v->table[index];
    *length = entry->length;
    *documents = (int)entry->documents;
    return v->bytes + entry->offset;
}

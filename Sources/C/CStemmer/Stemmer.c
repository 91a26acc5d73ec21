#include "CStemmer.h"
#include "Languages.h"
#include "Snowball.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// An ending and its replacement.
typedef struct {
    const char *replacement;
    uint8_t replacementLength, length, minLetters;
} Rule;

// A trie of endings, from the last byte of a word backwards.
typedef struct {
    uint16_t child, sibling, rule;  // 0 for none
    uint8_t byte;
} Node;

typedef struct {
    Node *nodes;
    Rule *rules;
    int nodeCount, ruleCount, nodeRoom, ruleRoom;
} Table;

enum { maxWordsOfLine = 160, minLetters = 3 };

typedef struct {
    Table derived, steps[maxSteps];
} Tables;

static _Atomic(Tables *) tablesOf[sizeof languages / sizeof *languages];
static pthread_mutex_t compiling = PTHREAD_MUTEX_INITIALIZER;

// MARK: Compiling

static int childOf(const Table *table, int node, uint8_t byte) {
    int child = table->nodes[node].child;
    while (child && table->nodes[child].byte != byte) child = table->nodes[child].sibling;
    return child;
}

static bool growNodes(Table *table) {
    if (table->nodeCount < table->nodeRoom) return true;
    int room = table->nodeRoom ? table->nodeRoom * 2 : 256;
    Node *nodes = realloc(table->nodes, (size_t)room * sizeof *nodes);
    if (!nodes || room > UINT16_MAX) return false;
    table->nodes = nodes;
    table->nodeRoom = room;
    if (!table->nodeCount) table->nodes[table->nodeCount++] = (Node){ 0 };
    return true;
}

// The first of several rules for the same ending wins.
static void add(Table *table, const char *ending, int length, Rule rule) {
    int node = 0;
    for (int i = length - 1; i >= 0; i--) {
        if (!growNodes(table)) return;
        int child = childOf(table, node, (uint8_t)ending[i]);
        if (!child) {
            child = table->nodeCount++;
            table->nodes[child] = (Node){ .byte = (uint8_t)ending[i], .sibling = table->nodes[node].child };
            table->nodes[node].child = (uint16_t)child;
        }
        node = child;
    }
    if (table->nodes[node].rule || table->ruleCount + 1 >= UINT16_MAX) return;
    if (table->ruleCount + 1 >= table->ruleRoom) {
        int room = table->ruleRoom ? table->ruleRoom * 2 : 128;
        Rule *rules = realloc(table->rules, (size_t)room * sizeof *rules);
        if (!rules) return;
        table->rules = rules;
        table->ruleRoom = room;
    }
    table->rules[++table->ruleCount] = rule;
    table->nodes[node].rule = (uint16_t)table->ruleCount;
}

typedef struct {
    const char *text;
    int length;
} Piece;

static bool isSign(Piece piece, char sign) { return piece.length == 1 && *piece.text == sign; }

// Adds the rules of one line; see Languages.h for its form.
static void addLine(Table *table, const char *line, const char *end) {
    Piece words[maxWordsOfLine];
    int count = 0, tails = 0, target = 0;
    uint8_t least = minLetters;
    while (line < end && count < maxWordsOfLine) {
        while (line < end && *line == ' ') line++;
        const char *start = line;
        while (line < end && *line != ' ') line++;
        if (line == start) break;
        Piece word = { start, (int)(line - start) };
        if (count == 0 && !tails && word.length == 1 && *start >= '0' && *start <= '9') least = (uint8_t)(*start - '0');
        else if (isSign(word, '+')) tails = count, words[count++] = word;
        else if (isSign(word, '>')) target = count, words[count++] = word;
        else words[count++] = word;
    }
    bool hasTails = false;
    for (int i = 0; i < count; i++) if (isSign(words[i], '+')) hasTails = true, tails = i;
    if (!hasTails) {
        // Endings, possibly with a replacement.
        int last = target ? target : count;
        Piece replacement = target && target + 1 < count ? words[target + 1] : (Piece){ "", 0 };
        for (int i = 0; i < last; i++)
            add(table, words[i].text, words[i].length,
                (Rule){ replacement.text, (uint8_t)replacement.length, (uint8_t)words[i].length, least });
        return;
    }
    for (int i = 0; i < tails; i++) {
        const char *text = words[i].text, *stop = text + words[i].length;
        Piece first = { text, 0 };
        while (text < stop) {
            const char *start = text;
            while (text < stop && *text != '|') text++;
            int length = (int)(text - start);
            if (!first.length) first = (Piece){ start, length };
            for (int tail = tails + 1; tail < count; tail++) {
                char ending[CStemmerMostBytes];
                int more = isSign(words[tail], '-') ? 0 : words[tail].length;
                if (length + more > CStemmerMostBytes) continue;
                memcpy(ending, start, (size_t)length);
                memcpy(ending + length, words[tail].text, (size_t)more);
                add(table, ending, length + more, (Rule){ first.text, (uint8_t)first.length, (uint8_t)(length + more), least });
            }
            text++;
        }
    }
}

static void compile(Table *table, const char *text) {
    if (!text) return;
    while (*text) {
        const char *end = strchr(text, '\n');
        if (!end) end = text + strlen(text);
        addLine(table, text, end);
        text = *end ? end + 1 : end;
    }
}

static Tables *tables(int number) {
    Tables *existing = atomic_load_explicit(&tablesOf[number], memory_order_acquire);
    if (existing) return existing;
    pthread_mutex_lock(&compiling);
    existing = atomic_load_explicit(&tablesOf[number], memory_order_relaxed);
    if (!existing && (existing = calloc(1, sizeof *existing))) {
        const Language *language = &languages[number];
        compile(&existing->derived, language->derived);
        for (int i = 0; i < maxSteps; i++) compile(&existing->steps[i], language->steps[i]);
        atomic_store_explicit(&tablesOf[number], existing, memory_order_release);
    }
    pthread_mutex_unlock(&compiling);
    return existing;
}

// MARK: Stemming

static int letters(const char *word, int length) {
    int count = 0;
    for (int i = 0; i < length; i++) count += ((unsigned char)word[i] & 0xC0) != 0x80;
    return count;
}

// Replaces the longest ending that leaves enough of the word. Returns true if there is one.
static bool apply(const Table *table, char *word, int *length) {
    if (!table->nodeCount) return false;
    const Rule *best = NULL;
    int node = 0;
    for (int i = *length - 1; i >= 0; i--) {
        node = childOf(table, node, (uint8_t)word[i]);
        if (!node) break;
        if (!table->nodes[node].rule) continue;
        const Rule *rule = &table->rules[table->nodes[node].rule];
        if (letters(word, i) >= rule->minLetters) best = rule;
    }
    if (!best || *length - best->length + best->replacementLength > CStemmerMostBytes) return false;
    memcpy(word + *length - best->length, best->replacement, best->replacementLength);
    *length += best->replacementLength - best->length;
    return true;
}

// Removes the longest of the given beginnings that leaves enough of the word.
static void applyBeginnings(const char *beginnings, char *word, int *length) {
    int best = 0;
    for (const char *at = beginnings; *at;) {
        int least = minLetters;
        if (*at >= '0' && *at <= '9') least = *at++ - '0';
        int size = (int)strcspn(at, " ");
        if (size > best && size < *length && memcmp(word, at, (size_t)size) == 0 && letters(word + size, *length - size) >= least)
            best = size;
        at += size;
        while (*at == ' ') at++;
    }
    memmove(word, word + best, (size_t)(*length - best));
    *length -= best;
}

static int numberOf(char first, char second) {
    for (int i = 0; i < (int)(sizeof languages / sizeof *languages); i++)
        for (const char *at = languages[i].codes; *at; at += at[2] ? 3 : 2)
            if (at[0] == first && at[1] == second) return i;
    return -1;
}

int CStemmerStem(char first, char second, const char *word, int length, char *stem) {
    int number = numberOf(first, second);
    if (number < 0 || length <= 0 || length > CStemmerMostBytes) return 0;
    const Language *language = &languages[number];
    Tables *own = tables(number);
    if (!own) return 0;
    memcpy(stem, word, (size_t)length);
    if (language->beginnings) applyBeginnings(language->beginnings, stem, &length);
    if (apply(&own->derived, stem, &length)) return length;
    if (language->snowball) {
        char copy[CStemmerMostBytes];
        memcpy(copy, stem, (size_t)length);
        int count = SnowballStem(language->snowball, number, copy, length, stem, CStemmerMostBytes);
        if (count > 0) length = count;
    }
    for (int i = 0; i < maxSteps; i++) apply(&own->steps[i], stem, &length);
    return length;
}

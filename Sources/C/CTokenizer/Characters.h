#pragma once
// Reads the characters of a text in their folded forms, by the tables of Folding.h.
#include "Folding.h"
#include <stddef.h>

enum { endsWord, inWord, unspaced, passedOver };

typedef struct {
    const unsigned char *text;
    int length, at;
    const uint32_t *pool;  // the remainder of the current character's folded form
    int start, end;        // of the current character in the text
} Reader;

static int kindOf(uint32_t code, uint32_t *value) {
    if (code >= 0x20000) {
        *value = 0;
        return code < 0x40000 ? unspaced : endsWord;  // ideographs; no script uses the characters above
    }
    *value = foldingBlocks[foldingIndex[code >> 7] << 7 | (code & 127)];
    return *value < 4 ? (int)*value : inWord;
}

// Decodes one character; each invalid byte is decoded as U+FFFD. `at` must be inside the text.
static uint32_t decode(const unsigned char *text, int length, int at, int *width) {
    unsigned char first = text[at];
    *width = 1;
    if (first < 0x80) return first;
    int count = first >= 0xF0 && first < 0xF5 ? 3 : first >= 0xE0 && first < 0xF0 ? 2 : first >= 0xC2 && first < 0xE0 ? 1 : 0;
    if (count == 0 || length - at <= count) return 0xFFFD;
    uint32_t code = first & (0x3F >> count);
    for (int i = 1; i <= count; i++) {
        if ((text[at + i] & 0xC0) != 0x80) return 0xFFFD;
        code = code << 6 | (text[at + i] & 0x3F);
    }
    *width = count + 1;
    return code;
}

// The common form of an ideograph with several variants: simplified, traditional, Japanese.
static uint32_t unified(uint32_t code) {
    uint32_t place = code - 0x4E00;  // wraps around for smaller codes
    if (place >= 64 * sizeof ideographBits / sizeof *ideographBits) return code;
    uint64_t word = ideographBits[place >> 6], bit = 1ull << (place & 63);
    if (!(word & bit)) return code;
    return ideographForms[ideographRanks[place >> 6] + __builtin_popcountll(word & (bit - 1))];
}

static int isVoicingMark(uint32_t code) { return code == 0x3099 || code == 0x309A; }

// The letter for a kana and a voicing mark: か with a mark is が. Decomposed and half-width kana are written that way. 0
// if there is no such letter.
static uint32_t voiced(uint32_t kana, uint32_t mark) {
    int ha = kana == 0x306F || kana == 0x3072 || kana == 0x3075 || kana == 0x3078 || kana == 0x307B;
    if (mark == 0x309A) return ha ? kana + 2 : 0;
    if (kana == 0x3046) return kana + 0x4E;
    int ka = (kana >= 0x304B && kana <= 0x3061 && (kana & 1)) || kana == 0x3064 || kana == 0x3066 || kana == 0x3068;
    return ka || ha ? kana + 1 : 0;
}

// The folded form of the next character, if it is a single one; 0 otherwise.
static uint32_t peek(const Reader *reader, int *width) {
    if (reader->pool || reader->at >= reader->length) return 0;
    uint32_t value, code = decode(reader->text, reader->length, reader->at, width);
    kindOf(code, &value);
    if (value < 4) return code;
    return foldingPool[value - 4] & 0x80000000 ? foldingPool[value - 4] & 0x7FFFFFFF : 0;
}

// Composes the parts of one letter: kana with voicing marks, and the parts of a Hangul syllable.
static uint32_t compose(Reader *reader, uint32_t code) {
    int width;
    if (code >= 0x4E00) return unified(code);
    if (code >= 0x3046 && code <= 0x307B) {
        uint32_t mark = peek(reader, &width);
        uint32_t whole = isVoicingMark(mark) ? voiced(code, mark) : 0;
        if (!whole) return code;
        reader->at = reader->end = reader->at + width;
        return whole;
    }
    if (code < 0x1100 || code > 0x1112) return code;
    uint32_t vowel = peek(reader, &width);
    if (vowel < 0x1161 || vowel > 0x1175) return code;
    reader->at = reader->end = reader->at + width;
    code = 0xAC00 + ((code - 0x1100) * 21 + (vowel - 0x1161)) * 28;
    uint32_t last = peek(reader, &width);
    if (last < 0x11A8 || last > 0x11C2) return code;
    reader->at = reader->end = reader->at + width;
    return code + last - 0x11A7;
}

static int isDevanagariNasal(uint32_t code) {
    return code == 0x0919 || code == 0x091E || code == 0x0923 || code == 0x0928 || code == 0x092E;
}

// True if a Devanagari nasal before `at` is joined to a consonant of its own row, as in हिन्दी, which is also written
// हिंदी.
static int isJoinedNasal(const Reader *reader, uint32_t nasal, int at) {
    int width;
    if (at >= reader->length || decode(reader->text, reader->length, at, &width) != 0x094D) return 0;
    at += width;
    if (at >= reader->length) return 0;
    uint32_t next = decode(reader->text, reader->length, at, &width);
    return next < nasal && next + 4 >= nasal;
}

// The next folded character and its kind; -1 at the end.
static int next(Reader *reader, uint32_t *code) {
    uint32_t value;
    if (!reader->pool) {
        if (reader->at >= reader->length) return -1;
        int width;
        *code = decode(reader->text, reader->length, reader->at, &width);
        reader->start = reader->at;
        reader->end = reader->at += width;
        int kind = kindOf(*code, &value);
        if (value < 4) {
            if (kind == unspaced) {
                *code = compose(reader, *code);
            } else if (isDevanagariNasal(*code) && isJoinedNasal(reader, *code, reader->at)) {
                *code = 0x0902;
                reader->end = reader->at += 3;  // skips the joining sign
            }
            return kind;
        }
        reader->pool = &foldingPool[value - 4];
    }
    *code = *reader->pool & 0x7FFFFFFF;
    reader->pool = *reader->pool & 0x80000000 ? NULL : reader->pool + 1;
    int kind = kindOf(*code, &value);
    if (kind == unspaced) *code = compose(reader, *code);
    return kind;
}

// The folded form of a letter of two bytes, as most of Latin, Greek, Cyrillic and Arabic text has, if it is one letter; 0
// for anything else.
static inline uint32_t letterAt(const Reader *reader) {
    if (reader->pool || reader->at + 2 > reader->length) return 0;
    const unsigned char *text = reader->text + reader->at;
    if (text[0] < 0xC2 || text[0] > 0xDF || (text[1] & 0xC0) != 0x80) return 0;
    uint32_t value, code = (uint32_t)(text[0] & 0x1F) << 6 | (text[1] & 0x3F);
    if (kindOf(code, &value) != inWord) return 0;
    if (value < 4) return code;
    uint32_t folded = foldingPool[value - 4];
    return folded & 0x80000000 && kindOf(folded & 0x7FFFFFFF, &value) == inWord ? folded & 0x7FFFFFFF : 0;
}

static int encode(uint32_t code, char *out) {
    if (code < 0x80) { out[0] = (char)code; return 1; }
    if (code < 0x800) { out[0] = (char)(0xC0 | code >> 6); out[1] = (char)(0x80 | (code & 0x3F)); return 2; }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

#include "CTokenizer.h"
#include "Characters.h"
#include <stdlib.h>
#include <string.h>

// Longer words are truncated: they are hashes and addresses, which nobody types to the end.
enum { maxToken = 64 };

// Number of tokens per batch, and of bytes for their texts.
enum { batch = 128, room = 4096 };

struct CTokenizer {
    Reader reader;
    int wordLength, wordStart, wordEnd;
    bool isASCII;    // of the word so far
    int groupStart;  // offset in the word of the digits after its last thousands separator
    char last[4];    // the previous character of a text without blanks, which forms a pair with the next one
    int lastLength, lastStart, lastEnd;
    int endOfWord;  // of the previous word
    int count, used;
    CToken tokens[batch];
    char bytes[room];  // of the tokens, and of the word being read
};

// Lower case for ASCII letters, digits unchanged, 0 for bytes that end a word.
static const char asciiFolding[256] = {
    ['0'] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
    ['A'] = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
    'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
    ['a'] = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
    'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
};

static inline char foldASCII(unsigned char byte) { return asciiFolding[byte]; }

// Folds eight bytes at once. Returns how many of them, from the first one, are ASCII letters and digits. Bytes are
// compared by adding a value that carries into their highest bits.
static inline int foldRun(const unsigned char *text, int length, uint64_t *folded) {
    const uint64_t ones = 0x0101010101010101ull, high = 0x80 * ones;
    uint64_t bytes = 0;
    if (length >= 8) memcpy(&bytes, text, 8); else memcpy(&bytes, text, (size_t)length);
    uint64_t plain = bytes & ~high, lower = plain | 0x20 * ones;
    uint64_t letters = (lower + (0x80 - 'a') * ones) & ~(lower + (0x7F - 'z') * ones);
    uint64_t digits = (plain + (0x80 - '0') * ones) & ~(plain + (0x7F - '9') * ones);
    uint64_t others = ~((letters | digits) & ~bytes) & high;
    *folded = lower;  // Digits have that bit already.
    return others ? __builtin_ctzll(others) >> 3 : 8;
}

static int isDigit(unsigned char byte) { return byte >= '0' && byte <= '9'; }

// True if there is a thousands separator at `at`: 1,000 and 1.000 are 1000. `group` are the digits before it.
static int isThousandsMark(const Reader *reader, int at, const char *group, int groupLength) {
    if ((reader->text[at] != ',' && reader->text[at] != '.') || groupLength > 3) return 0;
    for (int i = 0; i < groupLength; i++) if (!isDigit((unsigned char)group[i])) return 0;
    for (int i = 1; i <= 3; i++) if (at + i >= reader->length || !isDigit(reader->text[at + i])) return 0;
    return at + 4 >= reader->length || !foldASCII(reader->text[at + 4]);
}

// Number of bytes of a suffix that makes a different word of the letter before `at`: C++ and C# are not C.
static int suffixOfLetter(const Reader *reader, int at) {
    int rest = reader->length - at;
    if (rest > 1 && reader->text[at] == '+' && reader->text[at + 1] == '+') return 2;
    return reader->text[at] == '#' && (rest == 1 || !foldASCII(reader->text[at + 1])) ? 1 : 0;
}

// Marks between the names of a person, which are often omitted: ジョン・レノン.
static int isNameMark(uint32_t code) { return code == 0x30FB || code == 0xFF65 || code == 0x30A0 || code == 0xFF1D; }

// True if a word ends in an Arabic letter. After one, a zero-width non-joiner ends the word, as in کتاب‌ها (the books).
static int isArabic(const char *word, int length) {
    return length >= 2 && (unsigned char)word[length - 2] >= 0xD8 && (unsigned char)word[length - 2] <= 0xDB;
}

static uint64_t mixed(uint64_t hash) {
    hash *= 0xFF51AFD7ED558CCDull;
    hash ^= hash >> 32;
    hash *= 0xC4CEB9FE1A85EC53ull;
    return hash ^ hash >> 29;
}

// Hashes eight bytes at a time; bytes missing from the last eight count as zero.
static inline uint64_t hashed(const char *bytes, int length) {
    uint64_t hash = 0, piece;
    for (; length > 8; bytes += 8, length -= 8) {
        memcpy(&piece, bytes, 8);
        hash = mixed(hash ^ piece) + 1;
    }
    memcpy(&piece, bytes, 8);
    return mixed(hash ^ (length < 8 ? piece & ((1ull << 8 * length) - 1) : piece));
}

// Only the first `maxToken` bytes count, since tokens are no longer than that.
uint64_t CTokenizerHash(const char *bytes, int length) {
    char copy[maxToken + 8] = { 0 };
    memcpy(copy, bytes, (size_t)(length < maxToken ? length : maxToken));
    return hashed(copy, length < maxToken ? length : maxToken);
}

// Emits a token whose bytes begin after the used ones.
static inline void emit(CTokenizer *tokenizer, CTokenizerKind kind, int length, int start, int end) {
    char *bytes = tokenizer->bytes + tokenizer->used;
    tokenizer->tokens[tokenizer->count++] = (CToken){ bytes, hashed(bytes, length), length, kind, CTokenizerApart, start, end, tokenizer->isASCII };
    tokenizer->used += (length + 7) & ~7;
}

static inline CTokenizerJoint jointOf(const unsigned char *text, int start, int end) {
    if (end - start == 1) {
        switch (text[start]) {
        case '-': return CTokenizerHyphen;
        case '\'': return CTokenizerApostrophe;
        case '.': case '/': case ':': case '&': return CTokenizerSign;
        default: return CTokenizerApart;
        }
    }
    if (end - start != 3 || text[start] != 0xE2 || text[start + 1] != 0x80) return CTokenizerApart;
    switch (text[start + 2]) {
    case 0x8C: case 0x90: case 0x91: return CTokenizerHyphen;
    case 0x99: return CTokenizerApostrophe;
    default: return CTokenizerApart;
    }
}

static void emitCharacters(CTokenizer *tokenizer, CTokenizerKind kind, const char *second, int width, int end) {
    char *bytes = tokenizer->bytes + tokenizer->used;
    bytes[0] = CTokenizerMark;
    memcpy(bytes + 1, tokenizer->last, (size_t)tokenizer->lastLength);
    memcpy(bytes + 1 + tokenizer->lastLength, second, (size_t)width);
    emit(tokenizer, kind, 1 + tokenizer->lastLength + width, tokenizer->lastStart, end);
}

// One pass of the loop may complete two tokens.
static inline int hasRoom(int count, int used) { return count + 2 <= batch && used + 2 * (maxToken + 16) <= room; }

static inline int isBlank(unsigned char byte) { return byte == ' ' || byte == '\n'; }

// The number of bytes from `at` that end a word and nothing else: a blank, or punctuation before a blank. 0 if more has to
// be checked. `at + 1` must be inside the text.
static inline int blankAt(const unsigned char *text, int at) {
    unsigned char byte = text[at];
    if (isBlank(byte)) return 1;
    return (byte == ',' || byte == '.' || byte == ':' || byte == '!' || byte == '?') && isBlank(text[at + 1]) ? 2 : 0;
}

// Takes words of up to 15 ASCII letters and digits followed by a blank, which need no further checks; most text consists
// of them. Returns the position of the first other character.
static int takePlainWords(CTokenizer *tokenizer, const unsigned char *text, int at, int length) {
    int count = tokenizer->count, used = tokenizer->used, endOfWord = tokenizer->endOfWord;
    // All words but the first follow a blank.
    CTokenizerJoint joint = endOfWord > 0 ? jointOf(text, endOfWord, at) : CTokenizerApart;
    while (at + 17 <= length && hasRoom(count, used)) {
        uint64_t first, rest = 0;
        int size = foldRun(text + at, 8, &first);
        if (size == 8) size += foldRun(text + at + 8, 8, &rest);
        int blank = size < 16 ? blankAt(text, at + size) : 0;
        if (!blank) break;
        if (size > 0) {
            char *bytes = tokenizer->bytes + used;
            memcpy(bytes, &first, 8);
            memcpy(bytes + 8, &rest, 8);
            tokenizer->tokens[count++] = (CToken){ bytes, hashed(bytes, size), size, CTokenizerWord, joint, at, at + size, true };
            used += size > 8 ? 16 : 8;
            endOfWord = at + size;
        }
        at += size + blank;
        joint = CTokenizerApart;
    }
    tokenizer->count = count;
    tokenizer->used = used;
    tokenizer->endOfWord = endOfWord;
    return at;
}

CTokenizer *CTokenizerCreate(void) { return calloc(1, sizeof(CTokenizer)); }

void CTokenizerFree(CTokenizer *tokenizer) { free(tokenizer); }

void CTokenizerBegin(CTokenizer *tokenizer, const char *text, int length) {
    tokenizer->reader = (Reader){ (const unsigned char *)text, length, 0, NULL, 0, 0 };
    tokenizer->isASCII = true;
    tokenizer->wordLength = tokenizer->groupStart = tokenizer->lastLength = tokenizer->endOfWord = tokenizer->used = 0;
}

const CToken *CTokenizerNext(CTokenizer *tokenizer, int *count) {
    Reader reader = tokenizer->reader;
    int wordLength = tokenizer->wordLength;
    if (wordLength) memmove(tokenizer->bytes, tokenizer->bytes + tokenizer->used, (size_t)wordLength);
    tokenizer->count = tokenizer->used = 0;

    while (hasRoom(tokenizer->count, tokenizer->used)) {
        if (!wordLength && !reader.pool && !tokenizer->lastLength) {
            reader.at = takePlainWords(tokenizer, reader.text, reader.at, reader.length);
            if (!hasRoom(tokenizer->count, tokenizer->used)) break;
        }
        char *word = tokenizer->bytes + tokenizer->used;
        uint32_t code = 0;
        int kind;
        if (!reader.pool && reader.at < reader.length && reader.text[reader.at] < 0x80) {
            // Most text is ASCII: a whole run of it is taken without the tables.
            int at = reader.at;
            char folded = foldASCII(reader.text[at]);
            if (folded && !tokenizer->lastLength) {
                if (!wordLength) tokenizer->wordStart = at;
                int run;
                do {
                    uint64_t bytes;
                    run = foldRun(reader.text + at, reader.length - at, &bytes);
                    if (wordLength + 8 <= maxToken) {
                        memcpy(word + wordLength, &bytes, 8);
                        wordLength += run;
                    } else {
                        for (int i = 0; i < run && wordLength < maxToken; i++) word[wordLength++] = foldASCII(reader.text[at + i]);
                    }
                    at += run;
                } while (run == 8);
                tokenizer->wordEnd = reader.at = at;
                continue;
            }
            if (wordLength && !folded) {
                if (isThousandsMark(&reader, at, word + tokenizer->groupStart, wordLength - tokenizer->groupStart)) {
                    tokenizer->groupStart = wordLength;
                    reader.at = at + 1;
                    continue;
                }
                int suffix = wordLength == 1 && !isDigit((unsigned char)word[0]) ? suffixOfLetter(&reader, at) : 0;
                if (suffix) {
                    memcpy(word + wordLength, reader.text + at, (size_t)suffix);
                    wordLength += suffix;
                    tokenizer->wordEnd += suffix;
                    at += suffix - 1;  // Its last byte ends the word.
                }
            }
            reader.start = at;
            reader.end = reader.at = at + 1;
            code = (uint32_t)(unsigned char)folded;
            kind = folded ? inWord : endsWord;
        } else if (!tokenizer->lastLength && (code = letterAt(&reader))) {
            if (!wordLength) tokenizer->wordStart = reader.at;
            tokenizer->isASCII = false;
            do {
                if (wordLength + 4 <= maxToken) wordLength += encode(code, word + wordLength);
                reader.at += 2;
            } while ((code = letterAt(&reader)));
            tokenizer->wordEnd = reader.at;
            continue;
        } else {
            kind = next(&reader, &code);
        }
        if (kind == passedOver && code == 0x200C && isArabic(word, wordLength)) kind = endsWord;
        if (kind == passedOver || (tokenizer->lastLength && isNameMark(code))) continue;
        if (wordLength && kind != inWord) {
            emit(tokenizer, CTokenizerWord, wordLength, tokenizer->wordStart, tokenizer->wordEnd);
            if (tokenizer->endOfWord > 0)
                tokenizer->tokens[tokenizer->count - 1].joint = jointOf(reader.text, tokenizer->endOfWord, tokenizer->wordStart);
            tokenizer->endOfWord = tokenizer->wordEnd;
            wordLength = tokenizer->groupStart = 0;
            tokenizer->isASCII = true;
        }
        if (tokenizer->lastLength && kind != unspaced) {
            emitCharacters(tokenizer, CTokenizerSingle, "", 0, tokenizer->lastEnd);
            tokenizer->lastLength = 0;
        }
        if (kind < 0) break;
        if (kind == inWord) {
            word = tokenizer->bytes + tokenizer->used;
            if (!wordLength) tokenizer->wordStart = reader.start;
            tokenizer->isASCII = false;
            if (wordLength + 4 <= maxToken) wordLength += encode(code, word + wordLength);
            tokenizer->wordEnd = reader.end;
        } else if (kind == unspaced) {
            char character[4];
            int width = encode(code, character);
            if (tokenizer->lastLength) emitCharacters(tokenizer, CTokenizerPair, character, width, reader.end);
            memcpy(tokenizer->last, character, (size_t)width);
            tokenizer->lastLength = width;
            tokenizer->lastStart = reader.start;
            tokenizer->lastEnd = reader.end;
        }
    }
    tokenizer->reader = reader;
    tokenizer->wordLength = wordLength;
    *count = tokenizer->count;
    return tokenizer->tokens;
}

#pragma once
/// Splits text into the tokens of the search index (Tokenizer.c), by tables made by scripts/generate-folding.
#include <stdbool.h>
#include <stdint.h>

/// The kind of text that a token consists of.
typedef enum {
    /// A word between blanks or punctuation.
    CTokenizerWord,
    /// Two adjacent characters of a text without blanks, such as Chinese or Thai.
    CTokenizerPair,
    /// The last character of such a text.
    CTokenizerSingle,
} CTokenizerKind;

/// The first byte of tokens that are not words, which distinguishes them from words.
enum { CTokenizerMark = 1 };

/// The characters between a word and the preceding one.
typedef enum {
    CTokenizerApart,
    /// A hyphen or a zero-width non-joiner.
    CTokenizerHyphen,
    CTokenizerApostrophe,
    /// A dot, slash, colon or ampersand, as in AC/DC.
    CTokenizerSign,
} CTokenizerJoint;

/// A token. It is valid until more tokens are requested.
typedef struct {
    /// The folded text, as in the dictionary of the index.
    const char *bytes;
    /// Of the bytes. Two different tokens of up to eight bytes have different hashes.
    uint64_t hash;
    int length;
    CTokenizerKind kind;
    CTokenizerJoint joint;
    /// The token's range in the text, in bytes.
    int start, end;
    /// True if the word was written with ASCII characters only, so that its folded text shows its spelling.
    bool isASCII;
} CToken;

typedef struct CTokenizer CTokenizer;

/// NULL if memory is short.
CTokenizer *CTokenizerCreate(void);
void CTokenizerFree(CTokenizer *tokenizer);

/// Begins a new text in UTF-8, which must remain valid while tokens are requested. Invalid bytes end words.
void CTokenizerBegin(CTokenizer *tokenizer, const char *text, int length);

/// The next tokens of the text and their number, which is 0 at its end.
const CToken *CTokenizerNext(CTokenizer *tokenizer, int *count);

/// The hash of a token's bytes.
uint64_t CTokenizerHash(const char *bytes, int length);

/// Prefetches a location in memory while other work is done.
static inline void CTokenizerPrefetch(const void *place) { __builtin_prefetch(place); }

#pragma once
/// Takes text apart into the tokens of the search index (Tokenizer.c), by tables made by scripts/generate-folding.
#include <stdbool.h>
#include <stdint.h>

/// What a token stands for.
typedef enum {
    /// A word between blanks or punctuation.
    CTokenizerWord,
    /// Two neighbouring characters of a text without blanks, such as Chinese or Thai.
    CTokenizerPair,
    /// The last character of such a text.
    CTokenizerSingle,
} CTokenizerKind;

/// The byte before what is no word, so that it is not taken for one.
enum { CTokenizerMark = 1 };

/// What stands between a word and the one before it.
typedef enum {
    CTokenizerApart,
    /// A hyphen, or the mark that keeps Arabic letters apart.
    CTokenizerHyphen,
    CTokenizerApostrophe,
} CTokenizerJoint;

/// One token, as long as the tokenizer is not asked for more.
typedef struct {
    /// Its folded text, as the dictionary of the index has it.
    const char *bytes;
    /// Of the bytes. Those of two different tokens of eight bytes or less differ.
    uint64_t hash;
    int length;
    CTokenizerKind kind;
    CTokenizerJoint joint;
    /// Where it stood in the text, in bytes.
    int start, end;
    /// True if it was written with ASCII characters only, so that its folded text says how.
    bool isASCII;
} CToken;

typedef struct CTokenizer CTokenizer;

/// NULL where memory is short.
CTokenizer *CTokenizerCreate(void);
void CTokenizerFree(CTokenizer *tokenizer);

/// Begins with a new text in UTF-8, which must stay as long as tokens are asked for. Invalid bytes end words.
void CTokenizerBegin(CTokenizer *tokenizer, const char *text, int length);

/// The next tokens of the text, and how many; none at its end.
const CToken *CTokenizerNext(CTokenizer *tokenizer, int *count);

/// The hash of a token's bytes.
uint64_t CTokenizerHash(const char *bytes, int length);

/// Brings this place of memory near, as long as something else is done.
static inline void CTokenizerPrefetch(const void *place) { __builtin_prefetch(place); }

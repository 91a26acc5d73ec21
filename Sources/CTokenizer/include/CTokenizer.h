#pragma once
/// Takes text apart into the tokens of the search index (Tokenizer.c), by tables made by scripts/generate-folding.
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

/// Gets one token: its folded text, and where it stood, in bytes. Anything but 0 ends the walk.
typedef int (*CTokenizerHandler)(
    void *context, CTokenizerKind kind, const char *token, int length, int start, int end);

/// Splits UTF-8 text into the tokens of the index. Invalid bytes end words. Returns what the handler returned last.
int CTokenizerSplit(const char *text, int length, void *context, CTokenizerHandler handler);

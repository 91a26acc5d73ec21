#pragma once
/// Stems of words: the common part of a word's inflected forms, by the rules of its language. Languages that Snowball
/// has (libstemmer, loaded on demand) use it, with guards against wrong joins; the others use tables of endings
/// (Languages.h).

#pragma clang assume_nonnull begin

/// Bytes of the longest word that can have a stem, and of its stem.
enum { CStemmerMostBytes = 64 };

/// Writes the stem of a word, which must be in lower case and have its accents, and returns its length; 0 if it has
/// none. Stems serve to compare words of one language and need not be words themselves.
///
/// `first` and `second` are the letters of the language's ISO 639 code.
int CStemmerStem(char first, char second, const char *word, int length, char *stem);

#pragma clang assume_nonnull end

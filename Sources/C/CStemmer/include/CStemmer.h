#pragma once
/// What the inflected forms of a word have in common, by the rules of its language: by Snowball (libstemmer, loaded on
/// demand) where that has the language, with guards against its wrong joins, else by tables of endings (Languages.h).

#pragma clang assume_nonnull begin

/// Bytes of the longest word that has a stem, and of its stem.
enum { CStemmerMostBytes = 64 };

/// Writes the stem of a word, which is in lower case and has its accents, and returns its length; 0 if it has none. Stems
/// serve to compare words of one language, and are no words themselves.
///
/// `first` and `second` are the letters of the language's ISO 639 code.
int CStemmerStem(char first, char second, const char *word, int length, char *stem);

#pragma clang assume_nonnull end

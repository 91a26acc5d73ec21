#pragma once
// Snowball's stemmers, through libstemmer's stable C interface.

// Writes the stem of a word and returns its length; 0 if the library or the algorithm is missing. `slot` is the
// algorithm's number.
int SnowballStem(const char *algorithm, int slot, const char *word, int length, char *stem, int room);

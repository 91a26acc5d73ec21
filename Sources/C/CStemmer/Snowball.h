#pragma once
// Snowball's stemmers, by libstemmer's stable C interface.

// Writes the stem of a word; 0 where the library or the algorithm is missing. `slot` is the algorithm's number.
int SnowballStem(const char *algorithm, int slot, const char *word, int length, char *stem, int room);

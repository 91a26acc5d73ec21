#include "CSQLite.h"

/// Counts a word for the current document. After a sort it does nothing until the next reset.
int CSQLiteVocabularyAdd(CSQLiteVocabulary *vocabulary, const char *word, int length);

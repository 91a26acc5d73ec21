#pragma once
/// SQLite, and the parts of the search index that FTS5 wants as C functions: the tokenizer (Tokenizer.c), the words
/// of a transaction (Vocabulary.c), and what a match consists of (FullText.c).
#include <sqlite3.h>
#include <stdint.h>

/// What a token stands for.
typedef enum {
    /// A word between blanks or punctuation.
    CSQLiteWord,
    /// Two neighbouring characters of a text without blanks, such as Chinese or Thai.
    CSQLitePair,
    /// The last character of such a text.
    CSQLiteSingle,
} CSQLiteTokenKind;

/// Gets one token: its folded text, and where it stood, in bytes. Anything but 0 ends the walk.
typedef int (*CSQLiteTokenHandler)(
    void *context, CSQLiteTokenKind kind, const char *token, int length, int start, int end);

/// Splits UTF-8 text into the tokens of the index. Invalid bytes end words. Returns what the handler returned last.
int CSQLiteTokenize(const char *text, int length, void *context, CSQLiteTokenHandler handler);

/// The words that were indexed since the last reset, each with the number of documents that hold it.
typedef struct CSQLiteVocabulary CSQLiteVocabulary;
CSQLiteVocabulary *CSQLiteVocabularyCreate(void);
void CSQLiteVocabularyFree(CSQLiteVocabulary *vocabulary);
/// A word counts once a document, however often it stands there.
void CSQLiteVocabularyBeginDocument(CSQLiteVocabulary *vocabulary);
int CSQLiteVocabularyCount(const CSQLiteVocabulary *vocabulary);
/// Sorts the words by their bytes; afterwards `CSQLiteVocabularyWord` counts in that order, until the next document.
void CSQLiteVocabularySort(CSQLiteVocabulary *vocabulary);
const char *CSQLiteVocabularyWord(const CSQLiteVocabulary *vocabulary, int index, int *length, int *documents);
void CSQLiteVocabularyReset(CSQLiteVocabulary *vocabulary);

/// Gives the connection the tokenizer `jimmy` and the function `occurrences(table)`, which says of the current row
/// which phrase of the query stands how often in which column: a blob of 4-byte numbers in the machine's byte order,
/// first the position of the first match in the last column (0xFFFFFFFF: none), then for each phrase and column
/// phrase << 16 | column << 8 | count (at most 255).
///
/// The tokenizer takes documents apart with `CSQLiteTokenize` and adds their words to `vocabulary`, which must
/// outlive the connection. Queries are tokens already: it only splits them at blanks.
int CSQLiteAddFullText(sqlite3 *connection, CSQLiteVocabulary *vocabulary);

/// `sqlite3_bind_text` that copies: a Swift String's bytes do not outlive the call.
static inline int CSQLiteBindText(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

static inline int CSQLiteBindBlob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/// Leaves out the bookkeeping of memory, which costs a lock at each allocation. Only before the first connection.
static inline int CSQLiteCountNoMemory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// Leaves the write-ahead log in place when the connection closes: the next one opens without making it anew.
static inline int CSQLiteKeepLog(sqlite3 *connection) {
    int on = 1;
    return sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
}

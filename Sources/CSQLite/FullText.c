#include "Vocabulary.h"
#include <string.h>

// What FTS5 wants of each token of a document.
typedef struct {
    void *context;
    int (*receive)(void *, int, const char *, int, int, int);
    CSQLiteVocabulary *vocabulary;
} Receiver;

static int receiveToken(void *context, CSQLiteTokenKind kind, const char *token, int length, int start, int end) {
    Receiver *receiver = context;
    if (kind == CSQLiteWord) {
        int result = CSQLiteVocabularyAdd(receiver->vocabulary, token, length);
        if (result) return result;
    }
    return receiver->receive(receiver->context, 0, token, length, start, end);
}

static int createTokenizer(void *vocabulary, const char **arguments, int count, Fts5Tokenizer **out) {
    (void)arguments;
    (void)count;
    *out = vocabulary;
    return SQLITE_OK;
}

static void deleteTokenizer(Fts5Tokenizer *tokenizer) { (void)tokenizer; }

static int tokenize(
    Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int length,
    int (*receive)(void *, int, const char *, int, int, int)
) {
    if (!(flags & FTS5_TOKENIZE_QUERY)) {
        Receiver receiver = { context, receive, (CSQLiteVocabulary *)tokenizer };
        return CSQLiteTokenize(text, length, &receiver, receiveToken);
    }
    for (int start = 0; start < length;) {
        const char *blank = memchr(text + start, ' ', (size_t)(length - start));
        int end = blank ? (int)(blank - text) : length;
        int result = end > start ? receive(context, 0, text + start, end - start, start, end) : SQLITE_OK;
        if (result) return result;
        start = end + 1;
    }
    return SQLITE_OK;
}

static int append(sqlite3_str *out, uint32_t number) {
    sqlite3_str_append(out, (const char *)&number, sizeof number);
    return sqlite3_str_errcode(out);
}

static void occurrences(
    const Fts5ExtensionApi *api, Fts5Context *row, sqlite3_context *result, int count, sqlite3_value **values
) {
    (void)count;
    (void)values;
    sqlite3_str *out = sqlite3_str_new(NULL);
    int lastColumn = api->xColumnCount(row) - 1, status = append(out, 0xFFFFFFFF);
    uint32_t first = 0xFFFFFFFF;
    for (int phrase = 0; !status && phrase < api->xPhraseCount(row) && phrase < 0x10000; phrase++) {
        Fts5PhraseIter iterator;
        int column, offset, current = -1;
        uint32_t times = 0;
        status = api->xPhraseFirst(row, phrase, &iterator, &column, &offset);
        for (; !status; api->xPhraseNext(row, &iterator, &column, &offset)) {
            if (column != current) {
                if (times) status = append(out, (uint32_t)phrase << 16 | (uint32_t)current << 8 | times);
                current = column;
                times = 0;
            }
            if (column < 0) break;
            if (times < 255) times++;
            if (column == lastColumn && (uint32_t)offset < first) first = (uint32_t)offset;
        }
    }
    int length = sqlite3_str_length(out);
    char *bytes = sqlite3_str_finish(out);
    if (status || !bytes) {
        sqlite3_free(bytes);
        sqlite3_result_error_code(result, status ? status : SQLITE_NOMEM);
        return;
    }
    memcpy(bytes, &first, sizeof first);
    sqlite3_result_blob(result, bytes, length, sqlite3_free);
}

int CSQLiteAddFullText(sqlite3 *connection, CSQLiteVocabulary *vocabulary) {
    fts5_api *api = NULL;
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, NULL);
    if (status) return status;
    sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", NULL);
    sqlite3_step(statement);
    status = sqlite3_finalize(statement);
    if (status) return status;
    if (!api) return SQLITE_ERROR;
    fts5_tokenizer tokenizer = { createTokenizer, deleteTokenizer, tokenize };
    status = api->xCreateTokenizer(api, "jimmy", vocabulary, &tokenizer, NULL);
    return status ? status : api->xCreateFunction(api, "occurrences", NULL, occurrences, NULL);
}

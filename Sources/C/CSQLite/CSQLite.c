#include "CSQLite.h"

#include "CDlopen.h"

#include <stddef.h>

DLOPEN_NOTE(sqlite3, "import", "Libraries of gPodder, AntennaPod and newsboat", "suggested", "libsqlite3.so.0");

// Declared as in sqlite3.h, which is only in Debian's -dev package. The functions are those of version 3.7.
int sqlite3_open_v2(const char *name, struct sqlite3 **database, int flags, const char *vfs);
int sqlite3_close(struct sqlite3 *);
int sqlite3_busy_timeout(struct sqlite3 *, int milliseconds);
int sqlite3_exec(struct sqlite3 *, const char *statements, void *, void *, char **);
int sqlite3_prepare_v2(struct sqlite3 *, const char *, int count, struct sqlite3_stmt **, const char **);
int sqlite3_step(struct sqlite3_stmt *);
int sqlite3_finalize(struct sqlite3_stmt *);
const unsigned char *sqlite3_column_text(struct sqlite3_stmt *, int column);
int sqlite3_column_bytes(struct sqlite3_stmt *, int column);
int64_t sqlite3_column_int64(struct sqlite3_stmt *, int column);
double sqlite3_column_double(struct sqlite3_stmt *, int column);

#define FUNCTIONS(FUNCTION)                                                                                            \
    FUNCTION(sqlite3_, open_v2) FUNCTION(sqlite3_, close) FUNCTION(sqlite3_, busy_timeout) FUNCTION(sqlite3_, exec)    \
    FUNCTION(sqlite3_, prepare_v2) FUNCTION(sqlite3_, step) FUNCTION(sqlite3_, finalize)                               \
    FUNCTION(sqlite3_, column_text) FUNCTION(sqlite3_, column_bytes) FUNCTION(sqlite3_, column_int64)                  \
    FUNCTION(sqlite3_, column_double)
DLOPEN_LIBRARY(sqlite, "libsqlite3.so.0", FUNCTIONS);

// Source: https://sqlite.org/rescode.html and https://sqlite.org/c3ref/c_open_autoproxy.html
enum { ok = 0, permission = 3, busy = 5, locked = 6, corrupt = 11, cannot_open = 14, authorization = 23, not_a_database = 26 };
enum { row = 100, done = 101 };
enum { open_read_only = 0x1, open_uri = 0x40, open_no_mutex = 0x8000 };

static enum sqlite_status status_of(int code) {
    switch (code & 0xFF) {
    case ok:
    case row:
    case done: return sqlite_ok;
    case busy:
    case locked: return sqlite_busy;
    case corrupt:
    case not_a_database: return sqlite_damaged;
    case permission:
    case cannot_open:
    case authorization: return sqlite_denied;
    default: return sqlite_failed;
    }
}

bool sqlite_load(int *error) {
    bool loaded = dlopen_once(&sqlite_library);
    *error = loaded ? 0 : sqlite_library.error;
    return loaded;
}

struct sqlite3 *sqlite_open(const char *uri, enum sqlite_status *status) {
    struct sqlite3 *database = NULL;
    int code = sqlite.open_v2(uri, &database, open_read_only | open_uri | open_no_mutex, NULL);
    // The schema is a stranger's: it must not call functions, and its pages are checked.
    if (code == ok) code = sqlite.busy_timeout(database, 2000);
    if (code == ok) code = sqlite.exec(database, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON", NULL, NULL, NULL);
    *status = status_of(code);
    if (code == ok) return database;
    if (database) sqlite.close(database);
    return NULL;
}

void sqlite_close(struct sqlite3 *database) { sqlite.close(database); }

struct sqlite3_stmt *sqlite_prepare(struct sqlite3 *database, const char *text, enum sqlite_status *status) {
    struct sqlite3_stmt *statement = NULL;
    *status = status_of(sqlite.prepare_v2(database, text, -1, &statement, NULL));
    return statement;
}

bool sqlite_step(struct sqlite3_stmt *statement, enum sqlite_status *status) {
    int code = sqlite.step(statement);
    *status = status_of(code);
    return code == row;
}

void sqlite_finalize(struct sqlite3_stmt *statement) { sqlite.finalize(statement); }

const unsigned char *sqlite_text(struct sqlite3_stmt *statement, int column, int *count) {
    const unsigned char *text = sqlite.column_text(statement, column);
    *count = text ? sqlite.column_bytes(statement, column) : 0;
    return text;
}

int64_t sqlite_integer(struct sqlite3_stmt *statement, int column) { return sqlite.column_int64(statement, column); }
double sqlite_number(struct sqlite3_stmt *statement, int column) { return sqlite.column_double(statement, column); }

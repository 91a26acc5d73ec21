// libsqlite3, loaded on demand: databases of other programs, which are only read.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct sqlite3;
struct sqlite3_stmt;

enum sqlite_status { sqlite_ok, sqlite_busy, sqlite_damaged, sqlite_denied, sqlite_failed };

/// False if libsqlite3 is missing; `error` is then the system's error. Must succeed before any other call.
bool sqlite_load(int *error);

/// Opens the database that a `file:` URI names, for reading. NULL if that fails.
struct sqlite3 *_Nullable sqlite_open(const char *uri, enum sqlite_status *status);
void sqlite_close(struct sqlite3 *database);

/// NULL if the statement fails.
struct sqlite3_stmt *_Nullable sqlite_prepare(
    struct sqlite3 *database, const char *statement, enum sqlite_status *status);
/// True if there is a row; after the last one, `status` is `sqlite_ok`.
bool sqlite_step(struct sqlite3_stmt *statement, enum sqlite_status *status);
void sqlite_finalize(struct sqlite3_stmt *statement);

/// The text of a column, which stays valid until the next step; NULL for NULL. Not NUL-terminated text may contain NUL.
const unsigned char *_Nullable sqlite_text(struct sqlite3_stmt *statement, int column, int *count);
/// 0 for anything but a number.
int64_t sqlite_integer(struct sqlite3_stmt *statement, int column);
double sqlite_number(struct sqlite3_stmt *statement, int column);

#pragma clang assume_nonnull end

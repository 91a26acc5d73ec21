// libpq, loaded on demand: a connection to PostgreSQL that never blocks, in pipeline mode, with binary values.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

struct pg_conn;
struct pg_result;
struct pq_options;

/// False if libpq is missing or too old; `error` is then the system's error. Must succeed before any other call.
bool pq_load(int *error);

// Addresses.

/// The options in a URI or a connection string; NULL if the text is neither.
struct pq_options *_Nullable pq_parse(const char *text);
/// The name and value of the option at `index`; NULL after the last. `value` is NULL if the text does not set the
/// option.
const char *_Nullable pq_option(const struct pq_options *options, int index, const char *_Nullable *_Nonnull value);
void pq_options_free(struct pq_options *options);

// Connections.

struct pg_conn *_Nullable pq_connect(
    const char *_Nullable const *_Nonnull names, const char *_Nullable const *_Nonnull values);
enum pq_progress { pq_failed, pq_reading, pq_writing, pq_connected };
enum pq_progress pq_connect_poll(struct pg_conn *connection);
/// Starts pipeline mode: from now on statements are sent without waiting for the results of earlier ones.
bool pq_begin(struct pg_conn *connection);
int pq_socket(const struct pg_conn *connection);
const char *pq_error(const struct pg_conn *connection);
/// True if the password was refused or none was given.
bool pq_needs_password(const struct pg_conn *connection);
void pq_finish(struct pg_conn *connection);

// Statements.

/// Sends one statement; parameters and results are binary.
bool pq_send(
    struct pg_conn *connection, const char *statement, int count, const uint32_t *_Nullable types,
    const char *_Nullable const *_Nullable values, const int *_Nullable lengths, const int *_Nullable formats);
/// Sends the previous statement again with other parameters; the server does not parse it again. Not allowed directly
/// after `pq_sync`.
bool pq_send_again(
    struct pg_conn *connection, int count, const char *_Nullable const *_Nullable values, const int *_Nullable lengths,
    const int *_Nullable formats);
/// Ends a transaction.
bool pq_sync(struct pg_conn *connection);
/// 0 if everything was sent, 1 if something remains, -1 after a failure.
int pq_flush(struct pg_conn *connection);
bool pq_consume(struct pg_conn *connection);
bool pq_is_busy(struct pg_conn *connection);

// Results.

enum pq_kind { pq_rows, pq_synced, pq_skipped, pq_error_result };
/// NULL between the results of two statements.
struct pg_result *_Nullable pq_result(struct pg_conn *connection);
enum pq_kind pq_result_kind(const struct pg_result *result);
int pq_row_count(const struct pg_result *result);
int pq_column_count(const struct pg_result *result);
const char *pq_column_name(const struct pg_result *result, int column);
/// NULL for an SQL null.
const void *_Nullable pq_value(const struct pg_result *result, int row, int column, int *length);
/// The five-character SQLSTATE; "" if the connection failed.
const char *pq_sql_state(const struct pg_result *result);
const char *pq_message(const struct pg_result *result);
void pq_clear(struct pg_result *result);

#pragma clang assume_nonnull end

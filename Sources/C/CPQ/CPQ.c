#include "CPQ.h"

#include "CDlopen.h"

#include <postgresql/libpq-fe.h>
#include <stddef.h>

DLOPEN_NOTE(pq, "database", "Libraries in PostgreSQL", "suggested", "libpq.so.5");

#define FUNCTIONS(FUNCTION) \
    FUNCTION(PQ, conninfoParse) FUNCTION(PQ, conninfoFree) FUNCTION(PQ, connectStartParams) FUNCTION(PQ, connectPoll) \
    FUNCTION(PQ, setnonblocking) FUNCTION(PQ, enterPipelineMode) FUNCTION(PQ, socket) FUNCTION(PQ, errorMessage) \
    FUNCTION(PQ, connectionNeedsPassword) FUNCTION(PQ, connectionUsedPassword) FUNCTION(PQ, finish) \
    FUNCTION(PQ, sendQueryParams) FUNCTION(PQ, sendQueryPrepared) FUNCTION(PQ, pipelineSync) FUNCTION(PQ, flush) \
    FUNCTION(PQ, consumeInput) FUNCTION(PQ, isBusy) FUNCTION(PQ, getResult) FUNCTION(PQ, resultStatus) FUNCTION(PQ, ntuples) \
    FUNCTION(PQ, nfields) FUNCTION(PQ, fname) \
    FUNCTION(PQ, getisnull) FUNCTION(PQ, getvalue) FUNCTION(PQ, getlength) FUNCTION(PQ, resultErrorField) \
    FUNCTION(PQ, resultErrorMessage) FUNCTION(PQ, clear) FUNCTION(PQ, setNoticeProcessor)
DLOPEN_LIBRARY(pq, "libpq.so.5", FUNCTIONS);

bool pq_load(int *error) {
    bool loaded = dlopen_once(&pq_library);
    *error = loaded ? 0 : pq_library.error;
    return loaded;
}

struct pq_options *pq_parse(const char *text) {
    return (struct pq_options *)pq.conninfoParse(text, NULL);
}

const char *pq_option(const struct pq_options *options, int index, const char **value) {
    const PQconninfoOption *option = (const PQconninfoOption *)options + index;
    *value = option->val;
    return option->keyword;
}

void pq_options_free(struct pq_options *options) { pq.conninfoFree((PQconninfoOption *)options); }

static void ignore(void *context, const char *message) {}

struct pg_conn *pq_connect(const char *const *names, const char *const *values) {
    PGconn *connection = pq.connectStartParams(names, values, 0);
    if (connection) pq.setNoticeProcessor(connection, ignore, NULL);
    return connection;
}

enum pq_progress pq_connect_poll(struct pg_conn *connection) {
    switch (pq.connectPoll(connection)) {
    case PGRES_POLLING_READING: return pq_reading;
    case PGRES_POLLING_WRITING: return pq_writing;
    case PGRES_POLLING_OK: return pq_connected;
    default: return pq_failed;
    }
}

bool pq_begin(struct pg_conn *connection) {
    return pq.setnonblocking(connection, 1) == 0 && pq.enterPipelineMode(connection) == 1;
}

int pq_socket(const struct pg_conn *connection) { return pq.socket(connection); }
const char *pq_error(const struct pg_conn *connection) { return pq.errorMessage(connection); }

bool pq_needs_password(const struct pg_conn *connection) {
    return pq.connectionNeedsPassword(connection) || pq.connectionUsedPassword(connection);
}

void pq_finish(struct pg_conn *connection) { pq.finish(connection); }

bool pq_send(
    struct pg_conn *connection, const char *statement, int count, const uint32_t *types, const char *const *values,
    const int *lengths, const int *formats) {
    return pq.sendQueryParams(connection, statement, count, types, values, lengths, formats, 1) == 1;
}

bool pq_send_again(
    struct pg_conn *connection, int count, const char *const *values, const int *lengths, const int *formats) {
    return pq.sendQueryPrepared(connection, "", count, values, lengths, formats, 1) == 1;
}

bool pq_sync(struct pg_conn *connection) { return pq.pipelineSync(connection) == 1; }
int pq_flush(struct pg_conn *connection) { return pq.flush(connection); }
bool pq_consume(struct pg_conn *connection) { return pq.consumeInput(connection) == 1; }
bool pq_is_busy(struct pg_conn *connection) { return pq.isBusy(connection) != 0; }
struct pg_result *pq_result(struct pg_conn *connection) { return pq.getResult(connection); }

enum pq_kind pq_result_kind(const struct pg_result *result) {
    switch (pq.resultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK: return pq_rows;
    case PGRES_PIPELINE_SYNC: return pq_synced;
    case PGRES_PIPELINE_ABORTED: return pq_skipped;
    default: return pq_error_result;
    }
}

int pq_row_count(const struct pg_result *result) { return pq.ntuples(result); }

int pq_column_count(const struct pg_result *result) { return pq.nfields(result); }

const char *pq_column_name(const struct pg_result *result, int column) { return pq.fname(result, column); }

const void *pq_value(const struct pg_result *result, int row, int column, int *length) {
    *length = pq.getlength(result, row, column);
    return pq.getisnull(result, row, column) ? NULL : pq.getvalue(result, row, column);
}

const char *pq_sql_state(const struct pg_result *result) {
    const char *state = pq.resultErrorField(result, PG_DIAG_SQLSTATE);
    return state ? state : "";
}

const char *pq_message(const struct pg_result *result) {
    const char *message = pq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    return message ? message : pq.resultErrorMessage(result);
}

void pq_clear(struct pg_result *result) { pq.clear(result); }

// libcurl, loaded on demand: a command that fetches nothing does not pay for loading it and the forty libraries it needs.
// Variadic functions, which do not import into Swift, stand here once for each type of value.
#pragma once

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads libcurl and makes it ready; false where it is missing or too old, or the system could not open it: then `*error`
/// is the system's. Any thread, any number of times.
bool curl_load(int *error);

typedef size_t (*curl_bytes_callback)(char *bytes, size_t size, size_t count, void *_Nullable context);

CURL *_Nullable curl_handle_new(void);
void curl_handle_free(CURL *handle);
CURLcode curl_set_number(CURL *handle, CURLoption option, long value);
/// libcurl keeps a copy. NULL takes the option back.
CURLcode curl_set_text(CURL *handle, CURLoption option, const char *_Nullable value);
/// libcurl keeps the pointer.
CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *_Nullable value);
/// libcurl keeps the pointer.
CURLcode curl_set_bytes(CURL *handle, CURLoption option, const void *bytes, size_t count);
CURLcode curl_set_callback(CURL *handle, CURLoption option, curl_bytes_callback value);
/// What opening sockets goes by, and tells.
struct curl_socket_state {
    /// The system's error where it had no socket to give.
    int error;
    /// Addresses of this machine and of local networks are refused, whatever name led to them.
    bool public_only;
};
/// libcurl keeps the pointer.
void curl_open_sockets(CURL *handle, struct curl_socket_state *state);
long curl_get_number(CURL *handle, CURLINFO info);
/// Microseconds.
int64_t curl_get_time(CURL *handle, CURLINFO info);
/// Takes the pause back that a callback asked for with CURL_WRITEFUNC_PAUSE.
CURLcode curl_unpause(CURL *handle);
const char *curl_error_text(CURLcode code);

/// The list with `line` at its end; NULL where memory is out, and then `list` is as it was.
struct curl_slist *_Nullable curl_list_append(struct curl_slist *_Nullable list, const char *line);
void curl_list_free(struct curl_slist *_Nullable list);

CURLM *_Nullable curl_loop_new(void);
void curl_loop_free(CURLM *loop);
CURLMcode curl_loop_set_number(CURLM *loop, CURLMoption option, long value);
CURLMcode curl_loop_add(CURLM *loop, CURL *handle);
CURLMcode curl_loop_remove(CURLM *loop, CURL *handle);
/// Does what can be done without waiting.
CURLMcode curl_loop_perform(CURLM *loop);
/// Waits for something to do, at most so long.
CURLMcode curl_loop_wait(CURLM *loop, int milliseconds);
/// Ends a wait; the one call that any thread may make.
CURLMcode curl_loop_wake(CURLM *loop);
/// The next transfer that ended, and how; NULL where there is none.
CURL *_Nullable curl_loop_next_ended(CURLM *loop, CURLcode *result);

/// Lets this thread read host names as UTF-8 (libidn2 goes by the locale) and keeps signals away from it.
void curl_thread_prepare(void);

#pragma clang assume_nonnull end

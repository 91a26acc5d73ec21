// libcurl, loaded on demand: a command that fetches nothing does not pay for loading it and the forty libraries it
// needs. Variadic functions cannot be imported into Swift, so there is one function for each type of value.
#pragma once

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads and initializes libcurl. False if it is missing, too old, or cannot be opened; `*error` is then the system's
/// error. May be called from any thread, any number of times.
bool curl_load(int *error);

typedef size_t (*curl_bytes_callback)(char *bytes, size_t size, size_t count, void *_Nullable context);

CURL *_Nullable curl_handle_new(void);
void curl_handle_free(CURL *handle);
CURLcode curl_set_number(CURL *handle, CURLoption option, long value);
/// libcurl copies the text. NULL resets the option.
CURLcode curl_set_text(CURL *handle, CURLoption option, const char *_Nullable value);
/// libcurl keeps the pointer.
CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *_Nullable value);
/// libcurl keeps the pointer.
CURLcode curl_set_bytes(CURL *handle, CURLoption option, const void *bytes, size_t count);
CURLcode curl_set_callback(CURL *handle, CURLoption option, curl_bytes_callback value);
/// The rules for opening sockets, and the last error.
struct curl_socket_state {
    /// The system's error if a socket could not be opened.
    int error;
    /// True to refuse addresses of this machine and of local networks, whatever host name they belong to.
    bool public_only;
    /// True once an address was refused for that reason.
    bool refused;
};
/// libcurl keeps the pointer.
void curl_open_sockets(CURL *handle, struct curl_socket_state *state);
long curl_get_number(CURL *handle, CURLINFO info);
/// In microseconds.
int64_t curl_get_time(CURL *handle, CURLINFO info);
/// Ends a pause that a callback began with CURL_WRITEFUNC_PAUSE.
CURLcode curl_unpause(CURL *handle);
const char *curl_error_text(CURLcode code);

/// The list with `line` appended; NULL if memory is short, in which case `list` is unchanged.
struct curl_slist *_Nullable curl_list_append(struct curl_slist *_Nullable list, const char *line);
void curl_list_free(struct curl_slist *_Nullable list);

CURLM *_Nullable curl_loop_new(void);
void curl_loop_free(CURLM *loop);
CURLMcode curl_loop_set_number(CURLM *loop, CURLMoption option, long value);
CURLMcode curl_loop_add(CURLM *loop, CURL *handle);
CURLMcode curl_loop_remove(CURLM *loop, CURL *handle);
/// Does everything that is possible without waiting.
CURLMcode curl_loop_perform(CURLM *loop);
/// Waits until there is something to do, for at most the given time.
CURLMcode curl_loop_wait(CURLM *loop, int milliseconds);
/// Ends a wait. This is the only call that any thread may make.
CURLMcode curl_loop_wake(CURLM *loop);
/// The next completed transfer and its result; NULL if there is none.
CURL *_Nullable curl_loop_next_ended(CURLM *loop, CURLcode *result);

/// Makes this thread read host names as UTF-8, since libidn2 depends on the locale, and blocks signals in it.
void curl_thread_prepare(void);

#pragma clang assume_nonnull end

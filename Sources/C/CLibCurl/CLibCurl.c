#define _GNU_SOURCE
#include "CLibCurl.h"

#include "CDlopen.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

// curl.h wraps some functions in type-checking macros, which need the very names.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

DLOPEN_NOTE(curl, "http", "Fetching feeds", "required", "libcurl.so.4");

#define FUNCTIONS(FUNCTION) \
    FUNCTION(curl_, global_init) FUNCTION(curl_, easy_init) FUNCTION(curl_, easy_cleanup) \
    FUNCTION(curl_, easy_setopt) FUNCTION(curl_, easy_getinfo) FUNCTION(curl_, easy_pause) \
    FUNCTION(curl_, easy_strerror) FUNCTION(curl_, slist_append) FUNCTION(curl_, slist_free_all) \
    FUNCTION(curl_, multi_init) FUNCTION(curl_, multi_cleanup) FUNCTION(curl_, multi_setopt) \
    FUNCTION(curl_, multi_add_handle) FUNCTION(curl_, multi_remove_handle) FUNCTION(curl_, multi_perform) \
    FUNCTION(curl_, multi_poll) FUNCTION(curl_, multi_wakeup) FUNCTION(curl_, multi_info_read)
DLOPEN_LIBRARY(curl, "libcurl.so.4", FUNCTIONS);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

static void load(void) {
    loaded = dlopen_once(&curl_library) && curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

bool curl_load(int *error) {
    pthread_once(&once, load);
    *error = curl_library.error ? curl_library.error : ENOMEM;
    return loaded;
}

CURL *curl_handle_new(void) { return curl.easy_init(); }
void curl_handle_free(CURL *handle) { curl.easy_cleanup(handle); }

CURLcode curl_set_number(CURL *handle, CURLoption option, long value) {
    return curl.easy_setopt(handle, option, value);
}

CURLcode curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl.easy_setopt(handle, option, value);
}

CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl.easy_setopt(handle, option, value);
}

CURLcode curl_set_bytes(CURL *handle, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_NOCOPY};
    return curl.easy_setopt(handle, option, &blob);
}

CURLcode curl_set_callback(CURL *handle, CURLoption option, curl_bytes_callback value) {
    return curl.easy_setopt(handle, option, value);
}

static curl_socket_t open_socket(void *error, curlsocktype purpose, struct curl_sockaddr *address) {
    int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    // A kind of address that this machine does not have is no error: there is mostly another.
    if (descriptor < 0 && errno != EAFNOSUPPORT && errno != EPROTONOSUPPORT) *(int *)error = errno;
    return descriptor < 0 ? CURL_SOCKET_BAD : descriptor;
}

void curl_note_socket_errors(CURL *handle, int *error) {
    curl.easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl.easy_setopt(handle, CURLOPT_OPENSOCKETDATA, error);
}

long curl_get_number(CURL *handle, CURLINFO info) {
    long value = 0;
    curl.easy_getinfo(handle, info, &value);
    return value;
}

int64_t curl_get_time(CURL *handle, CURLINFO info) {
    curl_off_t time = 0;
    curl.easy_getinfo(handle, info, &time);
    return time;
}

CURLcode curl_unpause(CURL *handle) { return curl.easy_pause(handle, CURLPAUSE_CONT); }
const char *curl_error_text(CURLcode code) { return curl.easy_strerror(code); }

struct curl_slist *curl_list_append(struct curl_slist *list, const char *line) {
    return curl.slist_append(list, line);
}
void curl_list_free(struct curl_slist *list) { curl.slist_free_all(list); }

CURLM *curl_loop_new(void) { return curl.multi_init(); }
void curl_loop_free(CURLM *loop) { curl.multi_cleanup(loop); }

CURLMcode curl_loop_set_number(CURLM *loop, CURLMoption option, long value) {
    return curl.multi_setopt(loop, option, value);
}

CURLMcode curl_loop_add(CURLM *loop, CURL *handle) { return curl.multi_add_handle(loop, handle); }
CURLMcode curl_loop_remove(CURLM *loop, CURL *handle) { return curl.multi_remove_handle(loop, handle); }

CURLMcode curl_loop_perform(CURLM *loop) {
    int running;
    return curl.multi_perform(loop, &running);
}

CURLMcode curl_loop_wait(CURLM *loop, int milliseconds) {
    return curl.multi_poll(loop, NULL, 0, milliseconds, NULL);
}

CURLMcode curl_loop_wake(CURLM *loop) { return curl.multi_wakeup(loop); }

CURL *curl_loop_next_ended(CURLM *loop, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = curl.multi_info_read(loop, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

void curl_thread_prepare(void) {
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (utf8) uselocale(utf8);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

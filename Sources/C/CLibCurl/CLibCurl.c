#define _GNU_SOURCE
#include "CLibCurl.h"

#include "CDlopen.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

// curl.h wraps some functions in type-checking macros, but the plain names are needed here.
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

/// True if an IPv4 address, in host byte order, is not on the public internet. Source: RFC 6890 and its registry.
static bool is_local_v4(uint32_t address) {
    static const struct { uint32_t prefix; int bits; } local[] = {
        {0x00000000, 8}, {0x0A000000, 8}, {0x64400000, 10}, {0x7F000000, 8}, {0xA9FE0000, 16}, {0xAC100000, 12},
        {0xC0000000, 24}, {0xC0A80000, 16}, {0xC6120000, 15}, {0xE0000000, 4}, {0xF0000000, 4},
    };
    for (size_t index = 0; index < sizeof local / sizeof *local; index++)
        if ((address ^ local[index].prefix) >> (32 - local[index].bits) == 0) return true;
    return false;
}

static uint32_t v4_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// The same for any address. IPv6 addresses that embed an IPv4 address count as that one.
static bool is_local(const struct sockaddr *address) {
    if (address->sa_family == AF_INET)
        return is_local_v4(ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr));
    if (address->sa_family != AF_INET6) return true;
    const uint8_t *bytes = ((const struct sockaddr_in6 *)address)->sin6_addr.s6_addr;
    static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF}, nat64[12] = {0x00, 0x64, 0xFF, 0x9B}, none[12] = {0};
    if (memcmp(bytes, mapped, 12) == 0 || memcmp(bytes, nat64, 12) == 0 || memcmp(bytes, none, 12) == 0)
        return is_local_v4(v4_at(bytes + 12));
    if (bytes[0] == 0x20 && bytes[1] == 0x02) return is_local_v4(v4_at(bytes + 2));
    return (bytes[0] & 0xFE) == 0xFC || (bytes[0] == 0xFE && (bytes[1] & 0x80) == 0x80) || bytes[0] == 0xFF;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    struct curl_socket_state *state = context;
    if (state->public_only && is_local(&address->addr)) {
        state->refused = true;
        return CURL_SOCKET_BAD;
    }
    int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    // An address family that this machine does not support is no error: there is usually another address.
    if (descriptor < 0 && errno != EAFNOSUPPORT && errno != EPROTONOSUPPORT) state->error = errno;
    return descriptor < 0 ? CURL_SOCKET_BAD : descriptor;
}

void curl_open_sockets(CURL *handle, struct curl_socket_state *state) {
    curl.easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl.easy_setopt(handle, CURLOPT_OPENSOCKETDATA, state);
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

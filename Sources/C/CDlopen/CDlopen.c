#include "CDlopen.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum { untried, loaded, failed };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int load(struct dlopen_library *library) {
    errno = 0;
    void *handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        library->error = errno ? errno : ENOENT;
        return failed;
    }
    for (size_t i = 0; library->functions[i]; i++) {
        void *function = dlsym(handle, library->functions[i]);
        if (!function) {
            library->error = ENOSYS;
            return failed;
        }
        memcpy((char *)library->table + i * sizeof function, &function, sizeof function);
    }
    return loaded;
}

bool dlopen_once(struct dlopen_library *library) {
    int state = atomic_load_explicit(&library->state, memory_order_acquire);
    if (state == untried) {
        pthread_mutex_lock(&mutex);
        state = atomic_load_explicit(&library->state, memory_order_relaxed);
        if (state == untried) {
            state = load(library);
            atomic_store_explicit(&library->state, state, memory_order_release);
        }
        pthread_mutex_unlock(&mutex);
    }
    return state == loaded;
}

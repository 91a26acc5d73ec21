// Tells thread sanitizer when Synchronization.Mutex is handed from one thread to another. Preloaded by scripts/sanitize.
//
// On Linux the mutex is a futex word. Taking it while it is free is an atomic instruction in our own code, which the
// sanitizer sees. A thread that has to wait gets it from the kernel instead, inside libswiftSynchronization, which it does
// not see: whatever two threads do under a contended mutex looks like a race, and so does what they hand over through it.
// These two functions are that slow path. A list of suppressions would have to name the callers of everything handed over,
// and would hide their real races too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SELF __attribute__((swift_context))
#define SWIFT __attribute__((swiftcall))

// _MutexHandle._lockSlow(_: UInt32) and _MutexHandle._unlockSlow()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Of the sanitizer, which programs that are started beside the tests do not have.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

SWIFT void lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void unlock(SELF void *mutex) __asm__(UNLOCK);

static SWIFT void (*swift_lock)(uint32_t thread, SELF void *mutex);
static SWIFT void (*swift_unlock)(SELF void *mutex);

__attribute__((constructor)) static void find(void) {
    swift_lock = (__typeof__(swift_lock))dlsym(RTLD_NEXT, LOCK);
    swift_unlock = (__typeof__(swift_unlock))dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock(uint32_t thread, SELF void *mutex) {
    swift_lock(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock(SELF void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    swift_unlock(mutex);
}

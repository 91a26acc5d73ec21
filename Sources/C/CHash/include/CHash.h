// XXH64, compiled from the xxHash library's own header, so that the hash of a short text costs no call.
#pragma once

#define XXH_INLINE_ALL
#define XXH_NO_XXH3
#include <xxhash.h>

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef XXH64_state_t HashState;

/// Starts a hash with seed 0.
static inline void hash_start(HashState *state) { XXH64_reset(state, 0); }

static inline void hash_add(HashState *state, const void *_Nullable bytes, size_t count) {
    XXH64_update(state, bytes, count);
}

static inline uint64_t hash_value(const HashState *state) { return XXH64_digest(state); }

/// The hash of contiguous bytes.
static inline uint64_t hash_of(const void *_Nullable bytes, size_t count) { return XXH64(bytes, count, 0); }

#pragma clang assume_nonnull end

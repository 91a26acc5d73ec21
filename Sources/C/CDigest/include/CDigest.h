// Message digests of OpenSSL's libcrypto, loaded on demand like libcurl, which needs that library anyway.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The longest digest, in bytes.
enum { DIGEST_MAX_SIZE = 64 };

typedef struct digest digest;

/// Begins a digest, such as "SHA1" or "SHA256". NULL if libcrypto is missing or lacks the digest.
digest *_Nullable digest_new(const char *name);
bool digest_add(digest *digest, const void *_Nullable bytes, size_t count);
/// Writes at most `DIGEST_MAX_SIZE` bytes and returns their number; 0 on failure. Nothing can be added afterwards.
unsigned digest_finish(digest *digest, uint8_t *bytes);
void digest_free(digest *digest);

#pragma clang assume_nonnull end

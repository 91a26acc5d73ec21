// Password hashes of libcrypt, loaded on demand.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// The longest hash, with its end.
enum { PASSWORD_HASH_SIZE = 384 };

/// Hashes with yescrypt and a new salt. False if libcrypt is missing or fails.
bool password_hash(const char *password, char *hash);
/// True if `hash` is that of the password. Takes as long for a wrong one.
bool password_fits(const char *password, const char *hash);

#pragma clang assume_nonnull end

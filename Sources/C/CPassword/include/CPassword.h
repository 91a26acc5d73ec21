// Password hashes of libcrypt, loaded on demand.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// Size of the longest hash, including its NUL.
enum { PASSWORD_HASH_SIZE = 384 };

/// Hashes with yescrypt and a new salt. False if libcrypt is missing or fails.
bool password_hash(const char *password, char *hash);
/// True if `hash` belongs to the password. Takes equally long for a wrong password.
bool password_fits(const char *password, const char *hash);

#pragma clang assume_nonnull end

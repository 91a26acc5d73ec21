// libuchardet, loaded on demand: it guesses the encoding of a text that does not name one.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// Writes the encoding's name as used by iconv, NUL-terminated. False if libuchardet is not installed or does not
/// recognize the encoding. May be called from any thread.
bool uchardet_guess(const unsigned char *bytes, size_t count, char *name, size_t room);

#pragma clang assume_nonnull end

// Internationalized host names, by libidn2, which is loaded for the first of them.
#pragma once

#include <stddef.h>

#pragma clang assume_nonnull begin

typedef enum {
    HOST_NAME_CONVERTED,
    /// No such name can be registered.
    HOST_NAME_INVALID,
    /// This machine lacks libidn2, or memory is short.
    HOST_NAME_UNKNOWN,
} host_name_result;

/// Writes the name in the form for DNS (`münchen.de` as `xn--mnchen-3ya.de`), NUL-terminated, if it fits into `room`
/// bytes. Source: UTS 46, nontransitional, as browsers convert names.
host_name_result host_name_to_ascii(const char *utf8, char *ascii, size_t room);

#pragma clang assume_nonnull end

// Internationalized host names, by libidn2, which is loaded when the first one comes.
#pragma once

#include <stddef.h>

#pragma clang assume_nonnull begin

typedef enum {
    HOST_NAME_CONVERTED,
    /// No such name can be registered.
    HOST_NAME_INVALID,
    /// This machine has no libidn2, or no memory.
    HOST_NAME_UNKNOWN,
} host_name_result;

/// Writes the name as DNS knows it (`münchen.de` as `xn--mnchen-3ya.de`), with its zero, if it fits into `room` bytes.
/// Source: UTS 46, nontransitional, as browsers read names.
host_name_result host_name_to_ascii(const char *utf8, char *ascii, size_t room);

#pragma clang assume_nonnull end

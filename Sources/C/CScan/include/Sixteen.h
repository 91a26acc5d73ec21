#pragma once
// Examines sixteen bytes at a time; the compiler uses the vector instructions of the machine.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Sixteen bytes that are examined together.
typedef unsigned char Sixteen __attribute__((vector_size(16)));

static inline Sixteen sixteenBytes(const unsigned char *bytes) {
    Sixteen word;
    memcpy(&word, bytes, 16);
    return word;
}

/// Number of bytes before the first marked one.
static inline size_t unmarked(Sixteen marks) {
    uint64_t halves[2];
    memcpy(halves, &marks, 16);
    if (halves[0]) return (size_t)__builtin_ctzll(halves[0]) >> 3;
    return halves[1] ? 8 + ((size_t)__builtin_ctzll(halves[1]) >> 3) : 16;
}

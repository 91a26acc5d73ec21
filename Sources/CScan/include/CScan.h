#ifndef CSCAN_H
#define CSCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Looks at sixteen bytes at once; the compiler makes it of whatever the machine has for that.
typedef unsigned char CScanBytes __attribute__((vector_size(16)));

// How many bytes pass before the first that JSON text must escape, or that may begin a character which a terminal would
// act on: control characters, quote, backslash, DEL, and what begins U+0080 to U+00BF and U+2000 to U+2FFF.
static inline size_t CScanPlainJSON(const uint8_t *text, size_t length) {
    size_t at = 0;
    while (length >= 16 && at < length) {
        // The last sixteen may have been seen in part.
        size_t from = length - at >= 16 ? at : length - 16;
        CScanBytes bytes;
        memcpy(&bytes, text + from, 16);
        CScanBytes suspect = (CScanBytes)((bytes < 0x20) | (bytes == '"') | (bytes == '\\') | (bytes == 0x7F)
            | ((bytes & 0xDF) == 0xC2));
        uint64_t halves[2];
        memcpy(halves, &suspect, 16);
        if (halves[0] | halves[1]) break;
        at = from + 16;
    }
    for (; at < length; at++) {
        uint8_t byte = text[at];
        if (byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7F || (byte & 0xDF) == 0xC2) break;
    }
    return at;
}

#endif

#pragma once
// Text in JSON.
#include "Sixteen.h"

/// Number of bytes before the first one that JSON text must escape, or that may begin a character on which a terminal
/// would act: control characters, quote, backslash, DEL, and the lead bytes of U+0080 to U+00BF and U+2000 to U+2FFF.
static inline size_t plainJSONLength(const unsigned char *text, size_t length) {
    size_t at = 0;
    while (length >= 16 && at < length) {
        // The last sixteen bytes may overlap those already examined.
        size_t from = length - at >= 16 ? at : length - 16;
        Sixteen word = sixteenBytes(text + from);
        size_t plain = unmarked(
            (Sixteen)((word < 0x20) | (word == '"') | (word == '\\') | (word == 0x7F) | ((word & 0xDF) == 0xC2)));
        if (plain < 16) return from + plain;
        at = from + 16;
    }
    for (; at < length; at++) {
        unsigned char byte = text[at];
        if (byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7F || (byte & 0xDF) == 0xC2) break;
    }
    return at;
}

#pragma once
// Examines the bytes of a document. Written in C because its compiler vectorizes these loops.
#include <stdbool.h>

#include "Sixteen.h"

/// The result of one pass over the bytes of a text.
struct TextLook {
    size_t lineFeeds;
    /// True for control characters other than line feeds and tabs. In XML these can only be carriage returns, which are
    /// normalized before.
    bool hasControls;
    bool isASCII;
};

static inline struct TextLook lookAtText(const unsigned char *bytes, size_t count) {
    struct TextLook look = {0, false, true};
    unsigned char all = 0;
    for (size_t start = 0; start < count; start += 240) {
        size_t end = count - start < 240 ? count : start + 240;
        // 240 bytes at a time, so that the counts fit into bytes.
        unsigned char controls = 0, tabs = 0, feeds = 0;
        for (size_t index = start; index < end; index++) {
            unsigned char byte = bytes[index];
            all |= byte;
            controls += byte < 32;
            tabs += byte == '\t';
            feeds += byte == '\n';
        }
        look.lineFeeds += feeds;
        look.hasControls |= controls != (unsigned char)(tabs + feeds);
    }
    look.isASCII = all < 128;
    return look;
}

/// Marks controls, `&`, `<` and `>`. The last two differ in one bit.
static inline Sixteen specialBytes(Sixteen word) { return (Sixteen)((word < 32) | (word == '&') | ((word | 2) == '>')); }

/// Number of bytes at the beginning that are printable ASCII other than `&`, `<`, `>` and the given byte.
static inline size_t plainLength(const unsigned char *bytes, size_t count, unsigned char end) {
    size_t length = 0;
    for (; length + 16 <= count; length += 16) {
        Sixteen word = sixteenBytes(bytes + length);
        size_t plain = unmarked(specialBytes(word) | (Sixteen)((word >= 128) | (word == end)));
        if (plain < 16) return length + plain;
    }
    for (; length < count; length++) {
        unsigned char byte = bytes[length];
        if (byte < 32 || byte >= 128 || byte == '&' || byte == '<' || byte == '>' || byte == end) break;
    }
    return length;
}

/// Number of bytes at the beginning that are ASCII letters, digits, `-`, `.` or `_`.
static inline size_t partLength(const unsigned char *bytes, size_t count) {
    size_t length = 0;
    for (; length + 16 <= count; length += 16) {
        Sixteen word = sixteenBytes(bytes + length), letter = (word | 0x20) - 'a', digit = word - '0', mark = word - '-';
        size_t part = unmarked(~(Sixteen)((letter < 26) | (digit < 10) | (mark < 2) | (word == '_')));
        if (part < 16) return length + part;
    }
    for (; length < count; length++) {
        unsigned char byte = bytes[length], letter = (byte | 0x20) - 'a', digit = byte - '0';
        if (letter >= 26 && digit >= 10 && byte != '-' && byte != '.' && byte != '_') break;
    }
    return length;
}

/// Length of the ASCII name that begins here; 0 if there is none. `colon` is set to the position of the colon after its
/// prefix, or 0.
static inline size_t nameLength(const unsigned char *bytes, size_t count, long *colon) {
    size_t prefix = partLength(bytes, count);
    *colon = 0;
    if (prefix == 0 || prefix == count || bytes[prefix] != ':') return prefix;
    size_t local = partLength(bytes + prefix + 1, count - prefix - 1);
    if (local == 0) return 0;
    *colon = (long)prefix;
    return prefix + 1 + local;
}

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

/// Marks the bytes that are wrong in UTF-8 or in XML, of sixteen bytes that three others precede. Sources: Unicode, table
/// 3-7; XML 1.0, production 2, which excludes U+FFFE and U+FFFF. Controls are not checked.
static inline Sixteen wrongBytes(const unsigned char *bytes) {
    Sixteen word = sixteenBytes(bytes), last = sixteenBytes(bytes - 1), second = sixteenBytes(bytes - 2),
            third = sixteenBytes(bytes - 3);
    Sixteen continues = (Sixteen)((word & 0xC0) == 0x80);
    Sixteen mustContinue = (Sixteen)((last >= 0xC0) | (second >= 0xE0) | (third >= 0xF0));
    Sixteen neverUsed = (Sixteen)(((word & 0xFE) == 0xC0) | (word >= 0xF5));
    Sixteen tooLong = (Sixteen)(((last == 0xE0) & (word < 0xA0)) | ((last == 0xF0) & (word < 0x90)));
    Sixteen noCharacter = (Sixteen)(((last == 0xED) & (word >= 0xA0)) | ((last == 0xF4) & (word >= 0x90)) |
                                    ((second == 0xEF) & (last == 0xBF) & (word >= 0xBE)));
    return (continues ^ mustContinue) | neverUsed | tooLong | noCharacter;
}

/// True if the bytes are UTF-8 and have no character that XML excludes, apart from controls.
static inline bool isXMLText(const unsigned char *bytes, size_t count) {
    // The zeros around the first and the last bytes show a character that lacks its beginning or its end.
    unsigned char edge[3 + 32] = {0};
    memcpy(edge + 3, bytes, count < 16 ? count : 16);
    Sixteen wrong = wrongBytes(edge + 3);
    size_t start = 16;
    for (; start + 16 <= count; start += 16) wrong |= wrongBytes(bytes + start);
    memset(edge, 0, sizeof edge);
    if (count >= 16) memcpy(edge, bytes + start - 3, count - start + 3);
    wrong |= wrongBytes(edge + 3);
    return unmarked(wrong) == 16;
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

#pragma once
// Looks at the bytes of a document. In C, because its compiler looks at many of them at once.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// What one look at the bytes of a text tells.
struct TextLook {
    size_t lineFeeds;
    /// Other controls than line breaks and tabs, which XML does not have.
    bool hasControls;
    bool isASCII;
};

static inline struct TextLook lookAtText(const unsigned char *bytes, size_t count) {
    struct TextLook look = {0, false, true};
    unsigned char all = 0;
    for (size_t start = 0; start < count; start += 240) {
        size_t end = count - start < 240 ? count : start + 240;
        // Counts that fit into bytes.
        unsigned char controls = 0, others = 0, feeds = 0;
        for (size_t index = start; index < end; index++) {
            unsigned char byte = bytes[index];
            all |= byte;
            controls += byte < 32;
            others += (byte == '\t') | (byte == '\r');
            feeds += byte == '\n';
        }
        look.lineFeeds += feeds;
        look.hasControls |= controls != (unsigned char)(others + feeds);
    }
    look.isASCII = all < 128;
    return look;
}

/// Sixteen bytes that are looked at together.
typedef unsigned char Sixteen __attribute__((vector_size(16)));

static inline Sixteen sixteenBytes(const unsigned char *bytes) {
    Sixteen word;
    memcpy(&word, bytes, 16);
    return word;
}

/// Which are controls, `&`, `<` or `>`. The last two differ by one bit.
static inline Sixteen specialBytes(Sixteen word) { return (Sixteen)((word < 32) | (word == '&') | ((word | 2) == '>')); }

/// How many of them come before the first that is marked.
static inline size_t unmarked(Sixteen marks) {
    uint64_t halves[2];
    memcpy(halves, &marks, 16);
    if (halves[0]) return (size_t)__builtin_ctzll(halves[0]) >> 3;
    return halves[1] ? 8 + ((size_t)__builtin_ctzll(halves[1]) >> 3) : 16;
}

/// How many of the first bytes are printable ASCII, and no `&`, `<`, `>` or the given one.
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

/// How many of the first bytes are a name of ASCII: letters, digits, `-`, `.`, `_`, and one `:` inside it.
static inline size_t nameLength(const unsigned char *bytes, size_t count, long *colon) {
    static const bool isNameByte[256] = {
        ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['-'] = true, ['.'] = true, ['_'] = true};
    size_t length = 0, found = 0;
    while (length < count) {
        if (!isNameByte[bytes[length]]) {
            if (bytes[length] != ':' || found > 0) break;
            found = length;
        }
        length++;
    }
    *colon = (long)found;
    return found > 0 && found + 1 == length ? 0 : length;
}

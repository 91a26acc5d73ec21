#pragma once
// Looks at many bytes. In C, because its compiler looks at many at once.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// What one look at the bytes of a text tells.
struct TextLook {
    size_t lineFeeds;
    bool hasCarriageReturns;
    /// Other controls than line breaks and tabs, which XML does not have.
    bool hasControls;
    bool isASCII;
};

static inline struct TextLook lookAtText(const unsigned char *bytes, size_t count) {
    struct TextLook look = {0, false, false, true};
    unsigned char all = 0;
    for (size_t start = 0; start < count; start += 240) {
        size_t end = count - start < 240 ? count : start + 240;
        // Counts that fit into bytes.
        unsigned char controls = 0, tabs = 0, feeds = 0, returns = 0;
        for (size_t index = start; index < end; index++) {
            unsigned char byte = bytes[index];
            all |= byte;
            controls += byte < 32;
            tabs += byte == '\t';
            feeds += byte == '\n';
            returns += byte == '\r';
        }
        look.lineFeeds += feeds;
        look.hasCarriageReturns |= returns > 0;
        look.hasControls |= controls != (unsigned char)(tabs + feeds + returns);
    }
    look.isASCII = all < 128;
    return look;
}

/// Whether a short text is printable ASCII and free of `&`, `<` and `>`. Eight bytes at a time, the last of them perhaps twice.
static inline bool isPlainText(const unsigned char *bytes, size_t count) {
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    for (size_t index = 0; index < count; index += 8) {
        uint64_t word = 0x2020202020202020;
        if (count >= 8)
            memcpy(&word, bytes + (index + 8 <= count ? index : count - 8), 8);
        else
            memcpy(&word, bytes, count);
        // `<` and `>` differ by one bit; a byte without any of its lower seven bits set, less one, sets the highest.
        uint64_t brackets = (word | 2 * ones) ^ '>' * ones, ampersands = word ^ '&' * ones;
        if ((word | (word - 32 * ones) | (brackets - ones) | (ampersands - ones)) & tops) return false;
    }
    return true;
}

/// How many of the first bytes are such as names of ASCII have: letters, digits, `-`, `.`, `_` and `:`.
static inline size_t nameLength(const unsigned char *bytes, size_t count) {
    static const uint64_t nameBytes[4] = {0x07FF600000000000, 0x07FFFFFE87FFFFFE, 0, 0};
    size_t length = 0;
    while (length < count && nameBytes[bytes[length] >> 6] >> (bytes[length] & 63) & 1) length++;
    return length;
}

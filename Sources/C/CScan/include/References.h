#pragma once
// Text with references, as in XML between tags and in attributes.
#include "TextLook.h"

/// The result of resolving a text.
struct ResolvedText {
    size_t length;
    size_t lineFeeds;
    /// True if the unresolved text is ASCII; may be false for ASCII as well.
    bool isASCII;
    /// True if the text has `<`, `>`, a control character other than line feed and tab, or a reference to an entity
    /// other than XML's own five.
    bool isUnusual;
};

/// Writes a reference's character to `out` as UTF-8. Source: XML 1.0, section 4.1.
///
/// @return length of the reference; 0 if it is neither a character nor one of XML's own entities.
static inline size_t resolveReference(const unsigned char *bytes, size_t count, unsigned char **out) {
    if (count < 4) return 0;
    unsigned char own = 0;
    size_t ownLength = 4;
    switch (bytes[1]) {
    case 'l': own = bytes[2] == 't' ? '<' : 0; break;
    case 'g': own = bytes[2] == 't' ? '>' : 0; break;
    case 'q': ownLength = 6, own = count >= 6 && memcmp(bytes + 2, "uot", 3) == 0 ? '"' : 0; break;
    case 'a':
        ownLength = bytes[2] == 'm' ? 5 : 6;
        if (count >= ownLength) own = bytes[2] == 'm' ? (bytes[3] == 'p' ? '&' : 0) : memcmp(bytes + 2, "pos", 3) == 0 ? '\'' : 0;
        break;
    case '#': break;
    default: return 0;
    }
    if (bytes[1] != '#') {
        if (own == 0 || bytes[ownLength - 1] != ';') return 0;
        *(*out)++ = own;
        return ownLength;
    }
    bool isHexadecimal = bytes[2] == 'x';
    size_t position = isHexadecimal ? 3 : 2, digits = position;
    uint32_t value = 0;
    for (; position < count && position < 12; position++) {
        unsigned char byte = bytes[position], letter = byte | 0x20;
        if (byte >= '0' && byte <= '9')
            value = value * (isHexadecimal ? 16 : 10) + (byte - '0');
        else if (isHexadecimal && letter >= 'a' && letter <= 'f')
            value = value * 16 + (uint32_t)(letter - 'a' + 10);
        else
            break;
        if (value > 0x10FFFF) return 0;
    }
    if (position == digits || position == count || bytes[position] != ';') return 0;
    // Production 2: the characters that XML allows.
    bool isBreak = value == 9 || value == 10 || value == 13;
    if ((value < 32 && !isBreak) || (value >= 0xD800 && value < 0xE000) || value == 0xFFFE || value == 0xFFFF) return 0;
    unsigned char *target = *out;
    if (value < 0x80) {
        *target++ = (unsigned char)value;
    } else {
        if (value < 0x800) {
            *target++ = (unsigned char)(0xC0 | value >> 6);
        } else {
            if (value < 0x10000) {
                *target++ = (unsigned char)(0xE0 | value >> 12);
            } else {
                *target++ = (unsigned char)(0xF0 | value >> 18);
                *target++ = (unsigned char)(0x80 | (value >> 12 & 63));
            }
            *target++ = (unsigned char)(0x80 | (value >> 6 & 63));
        }
        *target++ = (unsigned char)(0x80 | (value & 63));
    }
    *out = target;
    return position + 1;
}

/// Writes a text with its references resolved. Its line breaks must be line feeds.
///
/// @param readable number of bytes that may be read, at least `count`.
/// @param out buffer for sixteen bytes more than the text has.
static inline struct ResolvedText resolveText(const unsigned char *bytes, size_t count, size_t readable, unsigned char *out) {
    struct ResolvedText text = {0, 0, true, true};
    unsigned char *target = out;
    Sixteen all = {0};
    unsigned char others = 0;
    size_t position = 0;
    while (position < count) {
        if (position + 16 <= readable) {
            Sixteen word = sixteenBytes(bytes + position);
            size_t plain = unmarked(specialBytes(word));
            if (plain > count - position) plain = count - position;
            // Bytes after the plain ones are overwritten later.
            memcpy(target, &word, 16);
            all |= word;
            target += plain;
            position += plain;
            if (plain == 16 || position == count) continue;
        }
        unsigned char byte = bytes[position];
        if (byte == '&') {
            size_t length = resolveReference(bytes + position, count - position, &target);
            if (length == 0) return text;
            position += length;
            continue;
        }
        if (byte == '<' || byte == '>' || (byte < 32 && byte != '\n' && byte != '\t')) return text;
        text.lineFeeds += byte == '\n';
        *target++ = byte;
        others |= byte;
        position++;
    }
    text.length = (size_t)(target - out);
    uint64_t halves[2];
    memcpy(halves, &all, 16);
    text.isASCII = ((halves[0] | halves[1]) & 0x8080808080808080) == 0 && others < 128;
    text.isUnusual = false;
    return text;
}

#pragma once
#include <stdbool.h>
#include <stddef.h>

/// What one look at the bytes of a text tells. In C, because its compiler looks at many bytes at once.
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

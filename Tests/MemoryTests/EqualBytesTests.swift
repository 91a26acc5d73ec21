import Memory
import Testing

struct EqualBytesTests {
    @Test(arguments: [
        ("abcabd", "abd", 3, true), ("abcabd", "abd", 0, false), ("abcabd", "bde", 4, false), ("abcabd", "a", -1, false),
        ("abcabd", "a", 6, false), ("abcabd", "", 6, true), ("", "", 0, true),
    ])
    func `bytes are compared inside the span only`(text: String, part: String, offset: Int, isThere: Bool) {
        let contains = Array(text.utf8).span.contains(Array(part.utf8), at: offset)
        #expect(contains == isThere)
    }
}

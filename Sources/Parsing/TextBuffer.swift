/// One growing buffer for the text of the element that is being read. It is reused for every element, so that
/// only what is kept becomes a String.
final class TextBuffer {
    private var storage: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 64 << 10) {
        self.capacity = capacity
        storage = .allocate(capacity: capacity)
    }

    deinit { storage.deallocate() }

    func removeAll() { count = 0 }

    func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        if capacity - count < bytes.count { grow(by: bytes.count) }
        (storage + count).update(from: source, count: bytes.count)
        count += bytes.count
    }

    func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// What is in the buffer, without white space at its ends. Valid until the buffer changes.
    var trimmed: Text { Text(UnsafeBufferPointer(start: storage, count: count)) }

    private func grow(by needed: Int) {
        let larger = max(capacity * 2, count + needed)
        let next = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        next.update(from: storage, count: count)
        storage.deallocate()
        storage = next
        capacity = larger
    }
}

/// A piece of UTF-8 text inside the parser, trimmed, not yet a String.
struct Text {
    let bytes: UnsafeBufferPointer<UInt8>

    init(_ raw: UnsafeBufferPointer<UInt8>) {
        var start = 0
        var end = raw.count
        while start < end, Text.isBlank(raw[start]) { start += 1 }
        while end > start, Text.isBlank(raw[end - 1]) { end -= 1 }
        bytes = UnsafeBufferPointer(rebasing: raw[start..<end])
    }

    static var none: Text { Text(UnsafeBufferPointer(start: nil, count: 0)) }

    var isEmpty: Bool { bytes.isEmpty }
    var string: String { String(decoding: bytes, as: UTF8.self) }
    /// Nil where there is no text.
    var value: String? { isEmpty ? nil : string }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}

extension String {
    /// Without white space at its ends; nil where nothing is left.
    var trimmedValue: String? {
        guard let first = utf8.first, let last = utf8.last else { return nil }
        if !Text.isBlank(first), !Text.isBlank(last) { return self }
        guard let start = utf8.firstIndex(where: { !Text.isBlank($0) }),
            let end = utf8.lastIndex(where: { !Text.isBlank($0) })
        else { return nil }
        return String(self[start...end])
    }
}

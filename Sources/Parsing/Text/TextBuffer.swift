internal import Memory

/// A growing buffer for the text of the current element. It is reused for every element, so that only texts that are
/// stored become Strings.
struct TextBuffer: ~Copyable {
    private var storage: GrowingBytes
    /// Text that is stored elsewhere. Set only while it is the whole content.
    private var borrowed: UnsafeBufferPointer<UInt8>?

    init(capacity: Int = 64 << 10) { storage = GrowingBytes(capacity: capacity) }

    var count: Int { borrowed?.count ?? storage.count }

    mutating func removeAll() {
        storage.removeAll()
        borrowed = nil
    }

    /// Removes the first `length` bytes.
    mutating func removeFirst(_ length: Int) {
        own()
        let remaining = storage.count - length
        storage.start.copyMemory(from: storage.start + length, byteCount: remaining)
        storage.cut(to: remaining)
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        own()
        let end = storage.skip(bytes.count).assumingMemoryBound(to: UInt8.self)
        if bytes.count < 8 {
            for index in 0..<bytes.count { end[index] = source[index] }
        } else {
            end.update(from: source, count: bytes.count)
        }
    }

    mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        append(UnsafeBufferPointer(rebasing: bytes))
    }

    mutating func append(_ text: StaticString) {
        own()
        storage.append(text)
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    mutating func append(_ byte: UInt8) {
        own()
        storage.append(byte)
    }

    /// Appends bytes that `write` puts directly into the buffer.
    ///
    /// - Parameters:
    ///   - room: the most bytes that `write` may write.
    ///   - write: returns a result, and the number of bytes it wrote.
    mutating func append<Result>(upTo room: Int, _ write: (UnsafeMutablePointer<UInt8>) -> (Result, count: Int)) -> Result {
        own()
        let start = storage.count
        let (result, written) = write(storage.skip(room).assumingMemoryBound(to: UInt8.self))
        storage.cut(to: start + written)
        return result
    }

    /// Like `append`, but without copying if the buffer is empty. The bytes must stay valid until `own()`.
    mutating func borrow(_ bytes: UnsafeBufferPointer<UInt8>) {
        if count > 0 { return append(bytes) }
        borrowed = bytes
    }

    /// Copies borrowed bytes.
    @inline(__always)
    mutating func own() {
        guard let bytes = borrowed else { return }
        borrowed = nil
        storage.append(bytes)
    }

    /// The content without white space at its ends. Valid until the buffer changes.
    var trimmed: Text { Text(bytes) }

    /// Valid until the buffer changes.
    var bytes: UnsafeBufferPointer<UInt8> {
        borrowed ?? UnsafeBufferPointer(start: storage.start.assumingMemoryBound(to: UInt8.self), count: storage.count)
    }
}

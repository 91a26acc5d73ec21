/// A growing buffer for the text of the current element. It is reused for every element, so that only texts that are
/// stored become Strings.
struct TextBuffer: ~Copyable {
    private var storage: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0
    /// Text that is stored elsewhere. Set only while it is the whole content.
    private var borrowed: UnsafeBufferPointer<UInt8>?

    init(capacity: Int = 64 << 10) {
        self.capacity = capacity
        storage = .allocate(capacity: capacity)
    }

    deinit { storage.deallocate() }

    mutating func removeAll() {
        count = 0
        borrowed = nil
    }

    /// Removes the beginning.
    mutating func removeFirst(_ length: Int) {
        own()
        storage.update(from: storage + length, count: count - length)
        count -= length
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        let place = reserve(bytes.count)
        if bytes.count < 8 {
            for index in 0..<bytes.count { place[index] = source[index] }
        } else {
            place.update(from: source, count: bytes.count)
        }
        count += bytes.count
    }

    mutating func append(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        append(UnsafeBufferPointer(rebasing: bytes))
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    mutating func append(_ byte: UInt8) {
        reserve(1).pointee = byte
        count += 1
    }

    /// Appends bytes that `write` puts directly into the buffer.
    ///
    /// - Parameters:
    ///   - room: the most bytes that `write` may write.
    ///   - write: returns a result, and the number of bytes it wrote.
    mutating func append<Result>(upTo room: Int, _ write: (UnsafeMutablePointer<UInt8>) -> (Result, count: Int)) -> Result {
        let (result, written) = write(reserve(room))
        count += written
        return result
    }

    /// Like `append`, but without copying if the buffer is empty. The bytes must stay valid until `own()`.
    mutating func borrow(_ bytes: UnsafeBufferPointer<UInt8>) {
        if count > 0 { return append(bytes) }
        borrowed = bytes
        count = bytes.count
    }

    /// Copies borrowed bytes.
    mutating func own() {
        guard let bytes = borrowed else { return }
        removeAll()
        append(bytes)
    }

    /// The content without white space at its ends. Valid until the buffer changes.
    var trimmed: Text { Text(bytes) }

    /// Valid until the buffer changes.
    var bytes: UnsafeBufferPointer<UInt8> { borrowed ?? UnsafeBufferPointer(start: storage, count: count) }

    /// Makes room for more bytes at the end and returns its address.
    @inline(__always)
    private mutating func reserve(_ needed: Int) -> UnsafeMutablePointer<UInt8> {
        if borrowed != nil { own() }
        if capacity - count < needed { grow(by: needed) }
        return storage + count
    }

    private mutating func grow(by needed: Int) {
        let larger = max(capacity * 2, count + needed)
        let next = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        next.update(from: storage, count: count)
        storage.deallocate()
        storage = next
        capacity = larger
    }
}

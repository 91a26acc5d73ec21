/// One growing buffer for the text of the element that is being read. It is reused for every element, so that
/// only what is kept becomes a String.
struct TextBuffer: ~Copyable {
    private var storage: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 64 << 10) {
        self.capacity = capacity
        storage = .allocate(capacity: capacity)
    }

    deinit { storage.deallocate() }

    mutating func removeAll() { count = 0 }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        if capacity - count < bytes.count { grow(by: bytes.count) }
        (storage + count).update(from: source, count: bytes.count)
        count += bytes.count
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// What is in the buffer, without white space at its ends. Valid until the buffer changes.
    var trimmed: Text { Text(bytes) }

    /// Valid until the buffer changes.
    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: storage, count: count) }

    private mutating func grow(by needed: Int) {
        let larger = max(capacity * 2, count + needed)
        let next = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        next.update(from: storage, count: count)
        storage.deallocate()
        storage = next
        capacity = larger
    }
}

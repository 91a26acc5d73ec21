/// Turns the line breaks of a document into line feeds. libxml2 leaves this to its caller for CDATA sections that
/// arrive in pieces.
///
/// Source: XML 1.0, section 2.11.
struct LineBreaks: ~Copyable {
    private var normalized = TextBuffer(capacity: 0)
    /// True if the last piece ended in a carriage return, which was already written as a line feed.
    private var endsInReturn = false

    /// - Parameter body: receives the bytes, or a copy that is valid while it runs.
    mutating func normalize(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        var start = 0
        if endsInReturn, let first = bytes.first {
            endsInReturn = false
            if first == UInt8(ascii: "\n") { start = 1 }
        }
        guard var mark = bytes.index(of: "\r", in: start..<bytes.count) else {
            return body(UnsafeBufferPointer(rebasing: bytes[start...]))
        }
        normalized.removeAll()
        while true {
            normalized.append(bytes[start..<mark])
            normalized.append(UInt8(ascii: "\n"))
            start = mark + 1
            if start == bytes.count {
                endsInReturn = true
                break
            }
            if bytes[start] == UInt8(ascii: "\n") { start += 1 }
            guard let next = bytes.index(of: "\r", in: start..<bytes.count) else { break }
            mark = next
        }
        normalized.append(bytes[start...])
        body(normalized.bytes)
    }
}

import Domain

/// Reads the head of a response, line by line.
///
/// Each status line starts over, because the headers of a 100 or a 103 do not belong to the final response. Trailers
/// are ignored.
struct HeadReader {
    /// Most bytes of a head; more than any honest server sends.
    static let sizeLimit = 256 << 10
    /// Most bytes of a value. Longer ones are dropped, since no server would accept them as validators.
    private static let valueLimit = 8 << 10

    private(set) var head = WireHead()
    /// True if the head of the final response is complete. A 100 or a 103 is not final.
    private(set) var isComplete = false
    private var size = 0
    /// The current field, which is complete only when the next line has arrived.
    private var field: [UInt8] = []

    /// - Returns: false if the head is too long.
    mutating func read(_ line: some RandomAccessCollection<UInt8>) -> Bool {
        size += line.count
        guard size <= HeadReader.sizeLimit else { return false }
        if let first = line.first, first == 32 || first == 9 {
            // Old servers fold long fields (RFC 9112, 5.2).
            while let last = field.last, last == 13 || last == 10 { field.removeLast() }
            field += line
            if !isComplete { head.bytes += line }
            return true
        }
        readPendingField()
        if line.starts(with: "HTTP/".utf8) {
            head = WireHead()
            head.status = HeadReader.status(line)
            head.bytes += line
            isComplete = false
        } else if line.count <= 2 {
            if !isComplete { head.bytes += line }
            isComplete = head.status >= 200
        } else if !isComplete {
            head.bytes += line
            field += line
        }
        return true
    }

    /// The head that was sent as `bytes` (`WireHead.bytes`).
    static func head(of bytes: [UInt8]) -> WireHead {
        var reader = HeadReader()
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: 10).map { $0 + 1 } ?? bytes.endIndex
            _ = reader.read(bytes[start..<end])
            start = end
        }
        return reader.head
    }

    private static func status(_ line: some Sequence<UInt8>) -> Int {
        let digits = line.drop { $0 != 32 }.dropFirst().prefix { (48...57).contains($0) }.prefix(3)
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private mutating func readPendingField() {
        guard !field.isEmpty else { return }
        var whole = [UInt8]()
        swap(&whole, &field)
        readField(whole)
        whole.removeAll(keepingCapacity: true)
        swap(&whole, &field)
    }

    private mutating func readField(_ line: [UInt8]) {
        guard let colon = line.firstIndex(of: 58) else { return }
        let name = line[..<colon]
        let value = line[(colon + 1)...]
        switch name.count {
        case 3 where HeadReader.equal(name, "age"): set(\.age, value)
        case 4 where HeadReader.equal(name, "etag"): set(\.etag, value)
        case 4 where HeadReader.equal(name, "date"): set(\.date, value)
        case 4 where HeadReader.equal(name, "link"): append(\.headers.link, value)
        case 7 where HeadReader.equal(name, "expires"): set(\.expires, value)
        case 8 where HeadReader.equal(name, "location"):
            if head.location == nil { head.location = HeadReader.location(HeadReader.trimmed(value)) }
        case 10 where HeadReader.equal(name, "set-cookie"):
            if head.cookies.count < HeadReader.maxCookies, let text = HeadReader.text(value) { head.cookies.append(text) }
        case 11 where HeadReader.equal(name, "retry-after"): set(\.retryAfter, value)
        case 12 where HeadReader.equal(name, "content-type"): set(\.contentType, value)
        case 13 where HeadReader.equal(name, "last-modified"): set(\.lastModified, value)
        case 13 where HeadReader.equal(name, "content-range"): set(\.contentRange, value)
        case 13 where HeadReader.equal(name, "cache-control"): append(\.headers.cacheControl, value)
        case 14 where HeadReader.equal(name, "content-length"): append(\.contentLength, value)
        case 16 where HeadReader.equal(name, "content-encoding"): append(\.contentEncoding, value)
        case 17 where HeadReader.equal(name, "transfer-encoding"): append(\.transferEncoding, value)
        default:
            for (wall, name) in HeadReader.botWalls where name.utf8.elementsEqual(line[..<colon].lazy.map { $0 | 32 }) {
                head.headers.botWall = wall
            }
        }
    }

    /// Headers by which a service says that it took this program for a robot.
    private static let botWalls = [
        ("Cloudflare", "cf-mitigated"), ("AWS WAF", "x-amzn-waf-action"), ("DataDome", "x-datadome"),
        ("Sucuri", "x-sucuri-block"),
        ("Imperva", "x-iinfo"),
    ]
    private static let maxCookies = 50

    /// If a field is repeated, the first one counts.
    private mutating func set(_ field: WritableKeyPath<ResponseHeaders, String?>, _ value: ArraySlice<UInt8>) {
        if head.headers[keyPath: field] == nil { head.headers[keyPath: field] = HeadReader.text(value) }
    }

    /// A list field: repeated fields are joined (RFC 9110, 5.3).
    private mutating func append(_ field: WritableKeyPath<WireHead, String?>, _ value: ArraySlice<UInt8>) {
        guard let text = HeadReader.text(value) else { return }
        head[keyPath: field] = head[keyPath: field].map { "\($0), \(text)" } ?? text
    }

    /// Servers send UTF-8 here, although they should not. Bytes that are not UTF-8 are percent-encoded.
    private static func location(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return bytes.reduce(into: "") { text, byte in
            text += byte < 128 ? String(Unicode.Scalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }
    }

    /// Each byte becomes the character with its number, so that the value can be sent back unchanged.
    private static func text(_ value: ArraySlice<UInt8>) -> String? {
        let bytes = trimmed(value)
        guard !bytes.isEmpty, bytes.count <= valueLimit else { return nil }
        if bytes.allSatisfy({ $0 < 128 }) { return String(decoding: bytes, as: UTF8.self) }
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }

    private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var trimmed = value.drop { $0 == 32 || $0 == 9 }
        while let last = trimmed.last, last == 13 || last == 10 || last == 32 || last == 9 { trimmed = trimmed.dropLast() }
        return trimmed
    }

    private static func equal(_ name: ArraySlice<UInt8>, _ lower: StaticString) -> Bool {
        lower.withUTF8Buffer { wanted in
            wanted.count == name.count && zip(name, wanted).allSatisfy { $0 | 32 == $1 | 32 }
        }
    }
}

public import Domain
internal import Memory

/// Writes JSON into a growing array of bytes, for storage and for `--json`.
///
/// A key whose value is absent, an empty string or an empty list is omitted. The output is always valid UTF-8 JSON.
/// Control characters and bidirectional overrides are escaped, so a hostile title cannot act on the terminal that shows it.
///
/// ```swift
/// var json = JSONWriter()
/// json.object {
///     $0.text("title", "Night Radio")
///     $0.array("numbers") { $0.value(1) }
/// }
/// ```
/// A copy shares its original's memory: write to only one of them.
public struct JSONWriter {
    /// Behind a reference because lists of fields can be copied.
    final class Storage {
        /// Not checked: each access ends before it returns.
        @exclusivity(unchecked) var bytes: GrowingBytes
        init(capacity: Int) { bytes = GrowingBytes(capacity: capacity) }
    }

    let storage: Storage
    /// Two spaces of indentation per level, one member per line.
    private let pretty: Bool
    private var depth = 0
    /// True until the open object or array has its first element.
    private var isEmpty = true

    /// The last written date and the offset of its opening quote. It is copied if the next date is the same, as it
    /// usually is.
    var lastTime: (time: Timestamp, offset: Int)?

    public init(pretty: Bool = false, capacity: Int = 1_024) {
        self.pretty = pretty
        storage = Storage(capacity: capacity)
    }

    @inline(__always) var output: GrowingBytes {
        _read { yield storage.bytes }
        nonmutating _modify { yield &storage.bytes }
    }

    /// Bytes written so far.
    public var count: Int { output.count }
    public var bytes: [UInt8] { withExtendedLifetime(storage) { Array(output.bytes) } }
    public var text: String { withExtendedLifetime(storage) { String(decoding: output.bytes, as: UTF8.self) } }

    /// The bytes written so far, without a copy.
    public func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        try output.withBytes(body)
    }

    /// Empties the writer and keeps its memory for the next document.
    public mutating func removeAll() { cut(to: 0) }

    private mutating func cut(to size: Int) {
        output.cut(to: size)
        lastTime = nil
    }

    /// Appends a complete line of JSON, including its newline.
    public mutating func append(line: ArraySlice<UInt8>) {
        append(line.span)
        isEmpty = true
    }

    /// Ends a line of JSON Lines.
    public mutating func endLine() {
        output.append(UInt8(ascii: "\n"))
        isEmpty = true
    }

    // MARK: Values in an array or at the top level

    public mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
        separate()
        try nest(UInt8(ascii: "{"), UInt8(ascii: "}"), members)
    }

    public mutating func array(_ elements: (inout JSONWriter) throws -> Void) rethrows {
        separate()
        try nest(UInt8(ascii: "["), UInt8(ascii: "]"), elements)
    }

    /// An object with all fields that are present.
    public mutating func value(_ fields: some Fields) {
        object { fields.visit(&$0) }
    }

    // For the most frequent types: this module specializes concrete functions, but not generic ones called from others.
    public mutating func value(_ item: Item) {
        object { item.visit(&$0) }
    }

    public mutating func value(_ channel: Channel) {
        object { channel.visit(&$0) }
    }

    public mutating func value(_ text: String) {
        separate()
        quote(text)
    }

    public mutating func value(_ number: Int) {
        separate()
        digits(number)
    }

    /// A value that is already JSON.
    public mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        if json.withContiguousStorageIfAvailable({ append($0.span) }) == nil { append(Array(json).span) }
    }

    // MARK: Members of an object

    /// Omitted if nothing is written into it.
    public mutating func object(_ name: StaticString, _ members: (inout JSONWriter) throws -> Void) rethrows {
        try nest(name, UInt8(ascii: "{"), UInt8(ascii: "}"), members)
    }

    /// Omitted if nothing is written into it.
    public mutating func array(_ name: StaticString, _ elements: (inout JSONWriter) throws -> Void) rethrows {
        try nest(name, UInt8(ascii: "["), UInt8(ascii: "]"), elements)
    }

    /// Writes the key of the next value, for names that are data.
    public mutating func key(_ name: String) {
        separate()
        quote(name)
        colon()
        isEmpty = true
    }

    /// A 64-bit hash, as 16 hexadecimal digits in a string, since JSON numbers are not exact for 64 bits.
    public mutating func hash(_ name: StaticString, _ value: UInt64?) {
        guard let value else { return }
        key(name)
        quote(hash: value)
    }

    // MARK: Structure

    private mutating func separate() {
        if !isEmpty { output.append(UInt8(ascii: ",")) }
        isEmpty = false
        if pretty, depth > 0, count == 0 || output.bytes[count - 1] != UInt8(ascii: " ") { indent() }
    }

    /// Writes the key and, if `quote` is set, the opening quote of its text.
    mutating func key(_ name: StaticString, quote: Bool = false) {
        if pretty { separate() }
        let length = name.utf8CodeUnitCount
        let (isFirst, pretty) = (isEmpty, self.pretty)
        // A comma, three quotes, a colon and a space may come with the name.
        output.append(upTo: length + 6) { start in
            let start = start.assumingMemoryBound(to: UInt8.self)
            var end = start
            func add(_ byte: UInt8) {
                end.pointee = byte
                end += 1
            }
            if !isFirst, !pretty { add(UInt8(ascii: ",")) }
            add(UInt8(ascii: "\""))
            end.update(from: name.utf8Start, count: length)
            end += length
            add(UInt8(ascii: "\""))
            add(UInt8(ascii: ":"))
            if pretty { add(UInt8(ascii: " ")) }
            if quote { add(UInt8(ascii: "\"")) }
            return end - start
        }
        isEmpty = false
    }

    private mutating func colon() {
        output.append(UInt8(ascii: ":"))
        if pretty { output.append(UInt8(ascii: " ")) }
    }

    private mutating func indent() {
        output.append(UInt8(ascii: "\n"))
        for _ in 0..<2 * depth { output.append(UInt8(ascii: " ")) }
    }

    private mutating func nest(_ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) throws -> Void) rethrows {
        output.append(open)
        depth += 1
        isEmpty = true
        try body(&self)
        depth -= 1
        if pretty, !isEmpty { indent() }
        output.append(close)
        isEmpty = false
    }

    private mutating func nest(
        _ name: StaticString, _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) throws -> Void
    ) rethrows {
        let (length, wasEmpty) = (count, isEmpty)
        key(name)
        let start = count
        try nest(open, close, body)
        guard count == start + 2 else { return }
        cut(to: length)
        isEmpty = wasEmpty
    }
}

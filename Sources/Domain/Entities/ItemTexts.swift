/// The text fields of an item that are long or unique, concatenated in one block of memory.
///
/// An item has about six of them, and a first refresh parses a hundred thousand items. As Strings, each would be allocated,
/// reference-counted and freed separately, often on another thread. Feeds often repeat a text in several fields; it is
/// stored once. An empty text counts as absent.
public struct ItemTexts: Equatable, Sendable {
    public enum Field: Int, CaseIterable, Sendable {
        case guid, title, itunesTitle, subtitle, summary, description, content, link

        public var name: StaticString {
            switch self {
            case .guid: "guid"
            case .title: "title"
            case .itunesTitle: "itunesTitle"
            case .subtitle: "subtitle"
            case .summary: "summary"
            case .description: "description"
            case .content: "content"
            case .link: "link"
            }
        }

        /// nil if no field has this name.
        public init?(name: String) {
            guard let field = Self.allCases.first(where: { $0.name.description == name }) else { return nil }
            self = field
        }
    }

    /// Texts of up to so many bytes are seldom equal.
    private static let shortText = 64

    private var bytes: [UInt8] = []
    private var ranges = InlineArray<8, Range<Int>>(repeating: 0..<0)

    public init() {}

    public subscript(field: Field) -> String? {
        get {
            isEmpty(field) ? nil : String(decoding: bytes[ranges[field.rawValue]], as: UTF8.self)
        }
        set {
            guard var text = newValue else { return ranges[field.rawValue] = 0..<0 }
            text.withUTF8 { set(field, to: $0.span) }
        }
    }

    public func isEmpty(_ field: Field) -> Bool { ranges[field.rawValue].isEmpty }

    /// - Parameter text: UTF-8.
    public mutating func set(_ field: Field, to text: Span<UInt8>) {
        if text.count > Self.shortText, let same = range(of: text) { return ranges[field.rawValue] = same }
        // Reserve for the texts to come: growing at each text would copy the earlier ones repeatedly.
        if bytes.isEmpty { bytes.reserveCapacity(max(512, text.count)) }
        ranges[field.rawValue] = bytes.count..<bytes.count + text.count
        text.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    private func range(of text: Span<UInt8>) -> Range<Int>? {
        for field in Field.allCases where withBytes(of: field, { $0.isSame(as: text) }) { return ranges[field.rawValue] }
        return nil
    }

    /// The fields that hold an item's notes. If a text is in several, the first of these is the one to keep.
    public static let bodies: InlineArray<4, Field> = [.description, .content, .summary, .subtitle]

    /// Removes the bodies that repeat another one, if they are long: of 31 real feeds, 14 have the same text twice.
    ///
    /// - Returns: the removed fields, each with the field that has its text.
    public mutating func takeRepeats() -> [(field: Field, original: Field)] {
        var repeats: [(field: Field, original: Field)] = []
        for index in Self.bodies.indices {
            let range = ranges[Self.bodies[index].rawValue]
            guard range.count > Self.shortText else { continue }
            // `set` and `copy` give equal texts one range.
            for other in index + 1..<Self.bodies.count where ranges[Self.bodies[other].rawValue] == range {
                repeats.append((Self.bodies[other], Self.bodies[index]))
                ranges[Self.bodies[other].rawValue] = 0..<0
            }
        }
        return repeats
    }

    /// Makes another field share the text of this one.
    public mutating func copy(_ field: Field, to other: Field) { ranges[other.rawValue] = ranges[field.rawValue] }

    /// Returns a copy of exact size, and empties this value but keeps its capacity.
    public mutating func moved() -> ItemTexts {
        var moved = ItemTexts()
        moved.ranges = ranges
        moved.bytes = Array(unsafeUninitializedCapacity: bytes.count) { room, count in
            count = room.initialize(fromContentsOf: bytes)
        }
        bytes.removeAll(keepingCapacity: true)
        ranges = InlineArray(repeating: 0..<0)
        return moved
    }

    // MARK: Bytes

    /// The text as UTF-8; empty if the item has no such text.
    @inline(__always)
    public func withBytes<Result>(of field: Field, _ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try body(bytes.span.extracting(ranges[field.rawValue]))
    }

    public func isSame(_ field: Field, as other: Field) -> Bool {
        withBytes(of: field) { text in withBytes(of: other) { text.isSame(as: $0) } }
    }

    public static func == (one: ItemTexts, other: ItemTexts) -> Bool {
        Field.allCases.allSatisfy { field in
            one.withBytes(of: field) { text in other.withBytes(of: field) { text.isSame(as: $0) } }
        }
    }
}

extension Span<UInt8> {
    /// Compares eight bytes at a time.
    fileprivate func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        let bytes = self.bytes
        let others = other.bytes
        var offset = 0
        while offset + 8 <= count {
            if bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
                != others.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            {
                return false
            }
            offset += 8
        }
        return (offset..<count).allSatisfy { self[$0] == other[$0] }
    }
}

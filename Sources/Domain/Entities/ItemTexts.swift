/// The text fields of an item that are long or unique, concatenated in one block of memory.
///
/// An item has about six of them, and a first refresh parses a hundred thousand items. As Strings, each would be allocated,
/// reference-counted and freed separately, often on another thread. Feeds often repeat a text in several fields; it is
/// stored once. An empty text counts as absent.
public struct ItemTexts: Hashable, Sendable {
    public enum Field: Int, CaseIterable, Sendable {
        case guid, title, itunesTitle, subtitle, summary, description, content, link
    }

    private var bytes: [UInt8] = []
    private var places = InlineArray<8, Range<Int>>(repeating: 0..<0)

    public init() {}

    public subscript(field: Field) -> String? {
        get { isEmpty(field) ? nil : withBytes { String(decoding: $0[field], as: UTF8.self) } }
        set {
            guard var text = newValue else { return places[field.rawValue] = 0..<0 }
            text.withUTF8 { set(field, to: $0) }
        }
    }

    public func isEmpty(_ field: Field) -> Bool { places[field.rawValue].isEmpty }

    /// - Parameter text: UTF-8.
    public mutating func set(_ field: Field, to text: UnsafeBufferPointer<UInt8>) {
        // Short texts are seldom equal.
        if text.count > 64, let same = place(of: text) { return places[field.rawValue] = same }
        // Reserve for the texts to come: growing at each text would copy the earlier ones repeatedly.
        if bytes.isEmpty { bytes.reserveCapacity(max(512, text.count)) }
        places[field.rawValue] = bytes.count..<bytes.count + text.count
        bytes.append(contentsOf: text)
    }

    private func place(of text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        withBytes { texts in
            Field.allCases.first { texts[$0].isSame(as: text) }.map { places[$0.rawValue] }
        }
    }

    /// Makes another field share the text of this one.
    public mutating func copy(_ field: Field, to other: Field) { places[other.rawValue] = places[field.rawValue] }

    /// Returns a copy of exact size, and empties this value but keeps its capacity.
    public mutating func moved() -> ItemTexts {
        var moved = ItemTexts()
        moved.places = places
        moved.bytes = Array(unsafeUninitializedCapacity: bytes.count) { room, count in
            count = room.initialize(fromContentsOf: bytes)
        }
        bytes.removeAll(keepingCapacity: true)
        places = InlineArray(repeating: 0..<0)
        return moved
    }

    // MARK: Bytes

    /// The texts as bytes, valid only while the closure runs.
    public struct Bytes {
        fileprivate let all: UnsafeBufferPointer<UInt8>
        fileprivate let places: InlineArray<8, Range<Int>>

        /// Empty if the item has no such text.
        public subscript(field: Field) -> UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(rebasing: all[places[field.rawValue]])
        }
    }

    @inline(__always)
    public func withBytes<Result>(_ body: (Bytes) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBufferPointer { try body(Bytes(all: $0, places: places)) }
    }

    public static func == (one: ItemTexts, other: ItemTexts) -> Bool {
        one.withBytes { one in
            other.withBytes { other in Field.allCases.allSatisfy { one[$0].isSame(as: other[$0]) } }
        }
    }

    public func hash(into hasher: inout Hasher) {
        withBytes { texts in
            for field in Field.allCases {
                hasher.combine(texts[field].count)
                hasher.combine(bytes: UnsafeRawBufferPointer(texts[field]))
            }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    public func isSame(as other: UnsafeBufferPointer<UInt8>) -> Bool { count == other.count && begins(with: other) }

    /// Compares eight bytes at a time, which `starts(with:)` does not.
    public func begins(with beginning: UnsafeBufferPointer<UInt8>) -> Bool {
        guard beginning.count <= count else { return false }
        let (one, other) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(beginning))
        var offset = 0
        while offset + 8 <= other.count {
            if one.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                != other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            {
                return false
            }
            offset += 8
        }
        return (offset..<other.count).allSatisfy { one[$0] == other[$0] }
    }
}

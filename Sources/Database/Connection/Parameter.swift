import Domain

/// A value of a statement, in PostgreSQL's binary form. Texts are `bytea`, so the database's encoding and collation never
/// touch them.
enum Parameter: Sendable {
    case int(Int64?)
    case bytes([UInt8]?)
    case ints([Int64?])
    case byteLists([[UInt8]?])

    static func int(_ value: Int) -> Self { .int(Int64(value)) }
    static func time(_ value: Timestamp?) -> Self { .int(value?.seconds) }
    static func text(_ value: String?) -> Self { .bytes(value.map { Array($0.utf8) }) }
    static func texts(_ values: some Sequence<String>) -> Self { .byteLists(values.map { Array($0.utf8) }) }
    static func flag(_ value: Bool) -> Self { .int(value ? 1 : 0) }

    /// The OID of the type: int8, bytea or an array of them.
    var type: UInt32 {
        switch self {
        case .int: 20
        case .bytes: 17
        case .ints: 1_016
        case .byteLists: 1_001
        }
    }

    /// nil for null.
    var encoded: [UInt8]? {
        switch self {
        case .int(let value): value?.bigEndianBytes
        case .bytes(let value): value
        case .ints(let values): Self.array(values.map { $0?.bigEndianBytes }, of: 20)
        case .byteLists(let values): Self.array(values, of: 17)
        }
    }

    /// One dimension with indices from 1; then each element preceded by its length, which is -1 for null.
    private static func array(_ elements: [[UInt8]?], of type: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ number: Int32) { bytes += number.bigEndianBytes }
        append(elements.isEmpty ? 0 : 1)
        append(elements.contains { $0 == nil } ? 1 : 0)
        append(type)
        guard !elements.isEmpty else { return bytes }
        append(Int32(elements.count))
        append(1)
        for element in elements {
            append(element.map { Int32($0.count) } ?? -1)
            if let element { bytes += element }
        }
        return bytes
    }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] {
        stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}

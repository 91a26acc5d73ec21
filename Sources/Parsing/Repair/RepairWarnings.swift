internal import Domain

/// The damage that a repair found, limited per kind.
struct RepairWarnings {
    /// The codes of the warnings.
    enum Kind: Int {
        case truncated, junk, markup, attribute, entity, control, depth
    }

    private static let maxOfKind = 10

    private(set) var list: [ParseWarning] = []
    private var counts = InlineArray<7, Int>(repeating: 0)
    private var countedTo = 0
    private var line = 1

    var isEmpty: Bool { list.isEmpty }

    mutating func add(_ kind: Kind, _ message: String, at offset: Int, in bytes: [UInt8]) {
        guard counts[kind.rawValue] < Self.maxOfKind else { return }
        counts[kind.rawValue] += 1
        if offset > countedTo {
            line += bytes[countedTo..<min(offset, bytes.count)].count { $0 == UInt8(ascii: "\n") }
            countedTo = offset
        }
        list.append(ParseWarning(code: "\(kind)", message: message, line: line))
    }
}

internal import Domain

/// Damage that a repair found, a few of each kind.
struct RepairWarnings {
    private(set) var list: [ParseWarning] = []
    private var counts: [String: Int] = [:]
    private var countedTo = 0
    private var line = 1

    var isEmpty: Bool { list.isEmpty }

    mutating func add(_ code: String, _ message: String, at offset: Int, in bytes: [UInt8]) {
        let count = counts[code, default: 0]
        guard count < 10 else { return }
        counts[code] = count + 1
        if offset > countedTo {
            line += bytes[countedTo..<min(offset, bytes.count)].count { $0 == UInt8(ascii: "\n") }
            countedTo = offset
        }
        list.append(ParseWarning(code: code, message: message, line: line))
    }
}

import Domain

/// A statement with its parameters. The first is always the shard.
struct Call: Sendable {
    let statement: Statement
    let shard: Shard
    let parameters: [Parameter]

    init(_ statement: Statement, _ shard: Shard, _ parameters: Parameter...) {
        self.init(statement, shard, parameters)
    }

    init(_ statement: Statement, _ shard: Shard, _ parameters: [Parameter]) {
        (self.statement, self.shard) = (statement, shard)
        self.parameters = [.int(shard.number)] + parameters
    }
}

extension Call {
    /// A definition of a table or an index, which has no parameters.
    init(defining statement: Statement) { (self.statement, shard, parameters) = (statement, .owner, []) }

    /// Calls that write all rows, each a bounded number of them.
    static func each<Row>(_ rows: [Row], atMost count: Int, _ call: (ArraySlice<Row>) -> Call) -> [Call] {
        stride(from: 0, to: rows.count, by: count).map { call(rows[$0..<min($0 + count, rows.count)]) }
    }
}

/// Calls that are committed together, in one round trip. Those that write concern one shard.
struct Transaction: Sendable {
    var calls: [Call]

    init(_ calls: [Call]) { self.calls = calls }

    /// Combines transactions that only read, of any shards.
    init(reading parts: [Transaction]) { calls = parts.flatMap(\.calls) }

    init(_ statement: Statement, _ shard: Shard, _ parameters: Parameter...) {
        self.init(Call(statement, shard, parameters))
    }

    init(_ call: Call) { calls = [call] }
}

/// A part of the library's rows, which may be on a machine of its own.
///
/// The rows of a podcast, its episodes and its transcripts are in the shard of its id, rows about a host in the shard
/// of the host, and the owner's data (tags, positions, queue, undo) in the first shard.
struct Shard: Hashable, Comparable, Sendable {
    static let count = 16
    static let all = (0..<count).map { Shard(number: $0) }
    static let owner = Shard(number: 0)

    let number: Int

    init(number: Int) { self.number = number }

    /// Ids begin with the highest bits of their hash, in an alphabet that is in order, so the shards are in the order
    /// of the ids.
    init(_ podcast: PodcastID) { self.init(idBeginning: podcast.text) }

    init(idBeginning text: some StringProtocol) {
        let alphabet = "0123456789abcdefghjkmnpqrstvwxyz".utf8
        let digit = text.utf8.first.map { first in alphabet.prefix { $0 < first }.count } ?? 0
        number = min(digit, 31) / 2
    }

    init(host: Int64) { number = Int(host >> 20 & Int64(Self.count - 1)) }

    /// The bit for this shard in a set of shards.
    var bit: Int64 { 1 << number }

    static func < (a: Shard, b: Shard) -> Bool { a.number < b.number }
}

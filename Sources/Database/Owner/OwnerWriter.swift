import Domain
import JSON
import Records

/// Writes the owner's data, which changes as a whole: a writer reads it, decides, and writes on condition that nobody has
/// written since.
struct OwnerWriter: Sendable {
    let session: Session
    let time: DatabaseTime

    private static let maxAttempts = 200
    /// Rows that one statement inserts.
    static let maxRows = 1_000

    /// - Parameters:
    ///   - reading: the calls whose rows the decision needs.
    ///   - change: called with the rows of `reading`, and again if somebody else wrote first. If it returns no calls,
    ///     nothing is written.
    func write<Result>(
        reading: [Call], _ change: ([Rows]) throws -> (calls: [Call], result: Result)
    ) async throws -> Result {
        for attempt in 1...Self.maxAttempts {
            let rows = try await session.read([Transaction([Call(.ownerRevision, .owner)] + reading)])
            let (calls, result) = try change(Array(rows.dropFirst()))
            guard !calls.isEmpty else { return result }
            let commit = Parameter.int(Int64.random(in: 1 ... .max))
            let guarded = [
                Call(.addCommit, .owner, commit, .time(time.now)),
                Call(.advanceOwner, .owner, .int(rows[0].first?.int("revision") ?? 0), commit), Call(.checkOwner, .owner, commit),
            ]
            switch try await session.run([Transaction(guarded + calls)]).first {
            case .failure(let error)? where error.state == "22012": break
            // The transaction was committed, and its reply was lost.
            case .failure(let error)? where error.state == "23505": return result
            case .failure(let error)?: throw error.failure
            case .success?, nil: return result
            }
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0...min(attempt * 4, 100))))
        }
        throw DatabaseFailure.failed(code: "40001", reason: "too many writers at once")
    }

    /// Reads without writing.
    func read(_ call: Call) async throws -> Rows { try await session.read([Transaction([call])])[0] }
}

/// The owner's small lists, each a row with JSON.
enum OwnerDocument: String {
    case queue, downloads, waiting, times, bookmarks
    /// The episodes that are being transcribed.
    case transcribing
    /// The source that the library is a copy of.
    case copy

    var read: Call { Call(.documents, .owner, .texts([rawValue])) }

    func write(_ members: (inout JSONWriter) -> Void) -> Call {
        Call(.putDocument, .owner, .text(rawValue), .bytes(JSONRow.bytes(members)))
    }

    func list<Element>(_ rows: Rows, _ read: (inout JSONReader) throws -> Element) throws -> [Element] {
        var elements: [Element] = []
        try members(rows) { json, key in
            if key == "entries" { elements = try json.list(read) } else { try json.skip() }
        }
        return elements
    }

    func members(_ rows: Rows, _ member: (inout JSONReader, String) throws -> Void) throws {
        guard let row = rows.first else { return }
        try JSONRow.read(row.bytes("body") ?? [], "documents", of: rawValue) { try $0.object(member) }
    }
}

extension JSONWriter {
    mutating func entries<Element>(_ elements: [Element], _ write: (Element, inout JSONWriter) -> Void) {
        array("entries") { json in for element in elements { json.object { write(element, &$0) } } }
    }
}

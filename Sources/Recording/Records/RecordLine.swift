import Domain
import JSON
import Records

extension Record {
    /// A record and the bytes stored after its line.
    struct Read: Sendable {
        var record: Record
        /// Microseconds since the run began.
        var at: Int
        var bytes: ArraySlice<UInt8>
    }

    /// nil if this version does not know the kind of record and can ignore it.
    ///
    /// - Throws: `JSONError`.
    static func read(_ stored: ArraySlice<UInt8>) throws -> Read? {
        let end = stored.firstIndex(of: UInt8(ascii: "\n")) ?? stored.endIndex
        var json = JSONReader(Array(stored[stored.startIndex..<end]))
        let line = try json.value(RecordLine.self)
        guard let record = line.record else { return nil }
        return Read(record: record, at: line.at, bytes: stored[min(end + 1, stored.endIndex)...])
    }

    /// - Parameter microseconds: time since the run began.
    func head(at microseconds: Int) -> JSONWriter {
        var json = JSONWriter()
        json.value(RecordLine(record: self, at: microseconds))
        return json
    }
}

/// The word of the record's kind comes first: it decides which members follow.
private struct RecordLine: ReadableFields {
    var record: Record?
    var at = 0

    mutating func list<L: FieldList>(_ list: inout L) {
        list.text("record", &record, as: { $0?.word }) { .some(Record(word: $0)) }
        list.integer("at", always: &at)
        record?.list(&list)
    }
}

extension Record {
    /// A record of each kind, into which a stored one is read.
    private static let blanks: [Record] =
        [
            .began(.blank), .turn(fetch: 0, subject: "", url: "", .granted), .request(fetch: 0, headers: []), .head(fetch: 0),
            .body(fetch: 0, .sent), .read(fetch: 0, .success(WireBody(hash: 0, size: 0, isSame: false))),
            .ended(fetch: 0, Exchange()), .secret(mark: "", sealed: []), .shared(fetch: 0, owner: 0), .reply(.blank),
            .committing(RunBatch(podcasts: [], reachedAnyone: false)), .committed, .finishing(reachedAnyone: false),
            .done(RunEnd(reachedAnyone: false, times: nil, hosts: [:])), .hooked,
        ] + RunStep.blanks.map { .step($0) }

    fileprivate init?(word: String) {
        guard let blank = Self.blanks.first(where: { $0.word == word }) else { return nil }
        self = blank
    }

    fileprivate var word: String {
        switch self {
        case .began: "began"
        case .turn: "turn"
        case .request: "request"
        case .head: "head"
        case .body: "body"
        case .read: "read"
        case .ended: "ended"
        case .secret: "secret"
        case .shared: "shared"
        case .reply: "reply"
        case .committing: "committing"
        case .committed: "committed"
        case .finishing: "finishing"
        case .done: "done"
        case .hooked: "hooked"
        case .step(let step): step.word
        }
    }

    var fetch: UInt64? {
        switch self {
        case .turn(let fetch, _, _, _), .request(let fetch, _), .head(let fetch), .body(let fetch, _), .read(let fetch, _),
            .ended(let fetch, _), .shared(let fetch, _):
            fetch
        case .began, .secret, .reply, .committing, .committed, .finishing, .done, .step, .hooked: nil
        }
    }
}

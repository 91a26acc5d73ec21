import Addresses
import Domain

/// The body of a fetch under way. It is recorded as it was sent or, if it contains secrets, decoded and redacted.
///
/// The form is decided when the feed's head has been decoded. Until then both are held.
struct RecordedBody: Sendable {
    typealias Records = [(record: Record, bytes: [UInt8])]

    private enum Form: Sendable {
        case undecided
        case sent
        case redacted(BodyRedactor)
    }

    private let number: UInt64
    private let redactor: Redactor
    /// Secrets from this fetch's URLs, credentials and feed head, which must not appear in the recording.
    private(set) var secrets: Set<String> = []
    /// True if no body of the exchange is recorded.
    var isSkipped = false
    private var form = Form.undecided
    private var heldSent: [[UInt8]] = []
    private var heldDecoded: [[UInt8]] = []
    private var heldSize = 0
    /// The result of the exchange; written after its body.
    var end = Record.Exchange()

    init(of number: UInt64, _ redactor: Redactor) {
        self.number = number
        self.redactor = redactor
    }

    mutating func learn(_ secrets: Set<String>) { self.secrets.formUnion(secrets) }

    mutating func learn(_ credentials: Credentials?) {
        guard let credentials else { return }
        learn(Set([credentials.user, credentials.password].filter { $0.utf8.count >= 4 }))
    }

    /// - Returns: the records that can be written now, as the other methods do.
    mutating func sent(_ bytes: [UInt8]) -> Records {
        if isSkipped { return [] }
        switch form {
        case .undecided: heldSent.append(bytes)
        case .sent: return [(.body(fetch: number, .sent), bytes)]
        case .redacted: break
        }
        return []
    }

    mutating func decoded(_ piece: [UInt8]) -> Records {
        if isSkipped { return [] }
        switch form {
        case .undecided:
            heldDecoded.append(piece)
            heldSize += piece.count
            return FeedHead.isWhole(heldSize == piece.count ? piece : heldDecoded.flatMap(\.self)) ? decide() : []
        case .sent: return []
        case .redacted(var body):
            let bytes = body.add(piece)
            form = .redacted(body)
            return bytes.isEmpty ? [] : [(.body(fetch: number, .decoded), bytes)]
        }
    }

    private mutating func decide() -> Records {
        let decoded = heldDecoded.flatMap(\.self)
        learn(FeedHead.secrets(of: decoded))
        defer { (heldSent, heldDecoded, heldSize) = ([], [], 0) }
        guard !secrets.isEmpty else {
            form = .sent
            return heldSent.map { (.body(fetch: number, .sent), $0) }
        }
        var body = BodyRedactor(secrets, redactor, in: CodeUnits(of: decoded))
        let bytes = body.add(decoded)
        form = .redacted(body)
        return [(.body(fetch: number, .decoded), bytes)]
    }

    /// - Parameter result: nil if there was no body, or it was not read to its end.
    mutating func finish(_ result: Result<WireBody, FetchFailure>?) -> Records {
        var records: Records = []
        if case .undecided = form, !heldDecoded.isEmpty { records += decide() }
        switch form {
        case .sent: break
        case .redacted(var body):
            let bytes = body.finish()
            if !bytes.isEmpty { records.append((.body(fetch: number, .decoded), bytes)) }
            if let result { records.append((.read(fetch: number, result), [])) }
        case .undecided:
            // Nothing was decoded: the body is the same as last time, or could not be read at all.
            if let result { records.append((.read(fetch: number, result), [])) }
        }
        records.append((.ended(fetch: number, end), []))
        (form, heldSent, end) = (.undecided, [], Record.Exchange())
        return records
    }
}

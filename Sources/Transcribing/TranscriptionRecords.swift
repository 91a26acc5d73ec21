import Domain
import JSON
import Records

/// The files of an unfinished transcription: a checksum, and JSON. Those of fingerprints begin with a checksum, too.
enum TranscriptionRecords {
    /// nil if there is none, or it is damaged: then the work begins anew.
    static func state(in folder: String) throws -> TranscriptionState? {
        var state = TranscriptionState(audio: AudioFacts(bytes: 0, hash: 0), duration: 0, pieces: [])
        let isRead = try read(folder + "/plan") { json, key in
            switch key {
            case "audioBytes": state.audio.bytes = try json.integer()
            case "audioHash": state.audio.hash = try json.hash()
            case "duration": state.duration = try json.number()
            case "cuts":
                // Milliseconds.
                let cuts = try json.integers().map { Double($0) / 1_000 }
                state.pieces = stride(from: 0, to: cuts.count - 1, by: 2).map {
                    AudioPiece(number: $0 / 2, start: cuts[$0], end: cuts[$0 + 1])
                }
            case "failures": state.failures = try json.integer()
            case "retryAt": state.retryAt = try json.time()
            default: try json.skip()
            }
        }
        return isRead ? state : nil
    }

    static func write(_ state: TranscriptionState, in folder: String) throws {
        try write(to: folder + "/plan") { json in
            json.integer("audioBytes", state.audio.bytes)
            json.hash("audioHash", state.audio.hash)
            json.number("duration", state.duration)
            json.integers("cuts", state.pieces.flatMap { [$0.start, $0.end] }.map { Int(($0 * 1_000).rounded()) })
            json.integer("failures", state.failures)
            json.time("retryAt", state.retryAt)
        }
    }

    static func name(_ number: Int) -> String { "piece-\(number)" }

    static func piece(_ number: Int, in folder: String) throws -> FinishedPiece? {
        var piece = FinishedPiece(number: number, verdict: PieceVerdict(), seconds: 0)
        var failure: (kind: PieceFailure.Kind, status: Int32?, words: String?)?
        let isRead = try read("\(folder)/\(name(number))") { json, key in
            switch key {
            case "seconds": piece.seconds = try json.number()
            case "lines": piece.verdict.segments = try json.list { try TranscriptSegment(from: &$0) }
            case "failure": failure = (PieceFailure.Kind(rawValue: try json.string()) ?? .failed, failure?.status, failure?.words)
            case "status": failure?.status = Int32(clamping: try json.integer())
            case "words": failure?.words = try json.string()
            default: try json.skip()
            }
        }
        if let failure { piece.verdict.failure = PieceFailure(failure.kind, status: failure.status, words: failure.words) }
        return isRead ? piece : nil
    }

    static func write(_ piece: FinishedPiece, in folder: String) throws {
        try write(to: "\(folder)/\(name(piece.number))") { json in
            json.number("seconds", piece.seconds)
            json.text("failure", piece.verdict.failure?.kind.rawValue)
            json.integer("status", piece.verdict.failure?.status.map(Int.init))
            json.text("words", piece.verdict.failure?.words)
            json.array("lines") { json in for segment in piece.verdict.segments { json.object { segment.write(to: &$0) } } }
        }
    }

    // MARK: Checksums

    static func write(to path: String, _ members: (inout JSONWriter) -> Void) throws {
        var json = JSONWriter()
        json.object(members)
        try replace(path, with: json.bytes)
    }

    /// False if there is no such file, or it is damaged.
    static func read(_ path: String, _ member: (inout JSONReader, String) throws -> Void) throws -> Bool {
        guard let bytes = try checked(path) else { return false }
        var json = JSONReader(Array(bytes))
        do {
            try json.object(member)
        } catch is JSONError {
            return false
        }
        return true
    }

    /// Writes a checksum, and these bytes.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        try Files.replace(path, with: Array(sum(of: bytes[...]).utf8) + bytes)
    }

    /// The bytes after the checksum; nil if there is no such file, or it is damaged.
    static func checked(_ path: String) throws -> ArraySlice<UInt8>? {
        guard let bytes = try Files.read(path) else { return nil }
        let text = bytes.dropFirst(sumLength)
        return bytes.count > sumLength && bytes.prefix(sumLength).elementsEqual(sum(of: text).utf8) ? text : nil
    }

    private static let sumLength = 17

    /// 16 digits and a blank.
    private static func sum(of bytes: ArraySlice<UInt8>) -> String {
        let digits = String(XXH64.hash(bytes), radix: 16)
        return String(repeating: "0", count: sumLength - 1 - digits.count) + digits + " "
    }
}

import Domain
import JSON
import Records

/// The files of an unfinished transcription: a checksum, and JSON. Those of fingerprints begin with a checksum, too.
enum TranscriptionRecords {
    /// nil if there is none, or it is damaged: then the work begins anew.
    static func state(in folder: String) throws -> TranscriptionState? {
        try read(folder + "/plan", as: Plan.self)?.state
    }

    static func write(_ state: TranscriptionState, in folder: String) throws {
        try write(Plan(state: state), to: folder + "/plan")
    }

    private struct Plan: ReadableFields {
        var state = TranscriptionState(audio: AudioFacts(bytes: 0, hash: 0), duration: 0, pieces: [])

        mutating func list<L: FieldList>(_ list: inout L) {
            list.integer("audioBytes", always: &state.audio.bytes)
            list.hash("audioHash", &state.audio.hash)
            list.number("duration", &state.duration)
            // Milliseconds.
            var cuts = state.pieces.flatMap { [$0.start, $0.end] }.map { Int(($0 * 1_000).rounded()) }
            list.integers("cuts", &cuts)
            if L.reads {
                state.pieces = stride(from: 0, to: cuts.count - 1, by: 2).map {
                    AudioPiece(number: $0 / 2, start: Double(cuts[$0]) / 1_000, end: Double(cuts[$0 + 1]) / 1_000)
                }
            }
            list.integer("failures", always: &state.failures)
            list.time("retryAt", &state.retryAt)
        }
    }

    static func name(_ number: Int) -> String { "piece-\(number)" }

    static func piece(_ number: Int, in folder: String) throws -> FinishedPiece? {
        guard let piece = try read("\(folder)/\(name(number))", as: Piece.self) else { return nil }
        var verdict = PieceVerdict()
        verdict.segments = piece.lines
        verdict.failure = piece.failure.map { kind in
            PieceFailure(kind, status: piece.status.map { Int32(clamping: $0) }, words: piece.words)
        }
        return FinishedPiece(number: number, verdict: verdict, seconds: piece.seconds)
    }

    static func write(_ piece: FinishedPiece, in folder: String) throws {
        let failure = piece.verdict.failure
        let members = Piece(
            seconds: piece.seconds, failure: failure?.kind, status: failure?.status.map(Int.init), words: failure?.words,
            lines: piece.verdict.segments)
        try write(members, to: "\(folder)/\(name(piece.number))")
    }

    private struct Piece: ReadableFields {
        var seconds = 0.0
        var failure: PieceFailure.Kind?
        var status: Int?
        var words: String?
        var lines: [TranscriptSegment] = []

        mutating func list<L: FieldList>(_ list: inout L) {
            list.number("seconds", &seconds)
            list.text("failure", &failure, as: { $0?.rawValue }) { .some(PieceFailure.Kind(rawValue: $0) ?? .failed) }
            list.integer("status", &status)
            list.text("words", &words)
            list.objects("lines", &lines)
        }
    }

    // MARK: Checksums

    static func write(_ members: some ReadableFields, to path: String) throws {
        var json = JSONWriter()
        json.value(members)
        try replace(path, with: json.bytes)
    }

    /// nil if there is no such file, or it is damaged.
    static func read<Members: ReadableFields>(_ path: String, as type: Members.Type) throws -> Members? {
        guard let bytes = try checked(path) else { return nil }
        var json = JSONReader(Array(bytes))
        do {
            return try json.value(type)
        } catch is JSONError {
            return nil
        }
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

internal import CFiles
import Domain
internal import Glibc
internal import Synchronization

/// One unfinished transcription, locked as long as this object exists.
final class Transcription: UnfinishedTranscription {
    let folder: String
    private let lock: Int32
    private let stored: Mutex<TranscriptionState?>

    init(_ folder: String, lock: Int32) {
        (self.folder, self.lock) = (folder, lock)
        stored = Mutex(try? TranscriptionRecords.state(in: folder))
    }

    deinit { close(lock) }

    var decoded: String { folder + "/decoded" }
    var state: TranscriptionState? { stored.withLock { $0 } }

    private static let fetched = "audio."

    func fetchedAudio() throws -> String? {
        try Files.names(in: folder).sorted().first { $0.hasPrefix(Self.fetched) && !$0.hasSuffix(".part") }.map {
            "\(folder)/\($0)"
        }
    }

    func facts(of file: String) throws -> AudioFacts {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Files.failure(file, "open") }
        defer { close(descriptor) }
        var hasher = XXH64()
        var size = 0
        while true {
            let bytes = try Files.read(descriptor, file, from: size, count: 1 << 20)
            if bytes.isEmpty { return AudioFacts(bytes: size, hash: hasher.finish()) }
            hasher.update(bytes)
            size += bytes.count
        }
    }

    func decodedLength() throws -> Double? {
        var facts = stat()
        guard stat(decoded, &facts) == 0 else {
            if errno == ENOENT { return nil }
            throw Files.failure(decoded, "stat")
        }
        return Double(facts.st_size) / Double(DecodedAudio.bytesPerSecond)
    }

    func store(_ state: TranscriptionState) throws {
        try TranscriptionRecords.write(state, in: folder)
        stored.withLock { $0 = state }
    }

    func store(_ piece: FinishedPiece) throws { try TranscriptionRecords.write(piece, in: folder) }

    func pieces() throws -> [Int: FinishedPiece] {
        var pieces: [Int: FinishedPiece] = [:]
        for number in try numbers(of: "piece-") { pieces[number] = try TranscriptionRecords.piece(number, in: folder) }
        return pieces
    }

    private func numbers(of prefix: String) throws -> [Int] {
        try Files.names(in: folder).compactMap { $0.hasPrefix(prefix) ? Int($0.dropFirst(prefix.count)) : nil }
    }

    func forget() throws {
        // The plan goes first: pieces without one are those of no file.
        try Files.remove(folder + "/plan")
        stored.withLock { $0 = nil }
        for number in try numbers(of: "piece-") { try Files.remove("\(folder)/\(TranscriptionRecords.name(number))") }
    }

    func cut(_ piece: AudioPiece) throws -> (audio: String, folder: String) {
        let own = cutFolder(piece)
        try Files.remove(own)
        try Files.makeFolders(own)
        let descriptor = open(decoded, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Files.failure(decoded, "open") }
        defer { close(descriptor) }
        let first = Int(piece.start * Double(DecodedAudio.samplesPerSecond)) * 2
        let count = Int((piece.length * Double(DecodedAudio.samplesPerSecond)).rounded(.up)) * 2
        let samples = try Files.read(descriptor, decoded, from: first, count: count)
        let audio = own + "/audio.wav"
        try Files.write([Self.header(bytes: samples.count), samples], to: audio, isDurable: false)
        return (audio, own)
    }

    func removeDecoded() throws { try Files.remove(decoded) }

    func removeCut(_ piece: AudioPiece) throws { try Files.remove(cutFolder(piece)) }

    private func cutFolder(_ piece: AudioPiece) -> String { "\(folder)/cut-\(piece.number)" }

    /// The header of a WAV file: PCM, one channel, 16 bits.
    private static func header(bytes: Int) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let rate = DecodedAudio.samplesPerSecond
        return Array("RIFF".utf8) + number(36 + bytes, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + number(1, 2) + number(1, 2)
            + number(rate, 4) + number(DecodedAudio.bytesPerSecond, 4) + number(2, 2) + number(16, 2) + Array("data".utf8)
            + number(bytes, 4)
    }

    func removeAudio() throws {
        for name in try Files.names(in: folder)
        where name.hasPrefix(Self.fetched) || name.hasPrefix("decoded") || name.hasPrefix("cut-") || name.hasPrefix(".jimmy-") {
            try Files.remove("\(folder)/\(name)")
        }
    }

    func remove() throws { try Files.removeAtOnce(folder) }
}

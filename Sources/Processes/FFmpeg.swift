public import Domain
internal import FileSystem
internal import Glibc

/// Decodes audio with ffmpeg, and listens for silences in the same pass.
public struct FFmpeg: AudioDecoder {
    private let program = "ffmpeg"

    private let priority: Int

    /// - Parameter priority: as of nice(1), 0 to 19.
    public init(priority: Int = 19) { self.priority = priority }

    /// Fails early if ffmpeg is not installed.
    ///
    /// - Throws: `TranscriberFailure.notStarted`.
    public func check() throws { _ = try KeptProgram.path(of: program) }

    /// A silence: quieter than this, for so many seconds.
    private static let silence = "silencedetect=noise=-35dB:duration=0.4"

    public func decode(_ file: String, to path: String) async throws -> DecodedAudio {
        let words = [
            program, "-nostdin", "-hide_banner", "-nostats", "-y", "-i", file, "-map", "0:a:0", "-vn", "-sn", "-dn",
            "-af", Self.silence, "-ac", "1", "-ar", String(DecodedAudio.samplesPerSecond), "-c:a", "pcm_s16le", "-f", "s16le",
            path,
        ]
        var run = KeptProgram(
            path: try KeptProgram.path(of: program), words: words, folder: path.containingFolder ?? ".")
        run.priority = priority
        run.maxOutput = 64 << 20
        let end = try await run.run()
        defer {
            unlink(run.outputFile)
            unlink(run.errorsFile)
        }
        let log = String(decoding: try KeptProgram.read(run.errorsFile, limit: 64 << 20) ?? [], as: UTF8.self)
        let isFull = log.contains("No space left on device") || log.contains("Disk quota exceeded")
        if isFull { throw LibraryFailure.io(file: path, operation: "write", errno: ENOSPC) }
        // At a limit of the size of files, a signal ends it.
        if end == .ended(128 + SIGXFSZ) { throw LibraryFailure.io(file: path, operation: "write", errno: EFBIG) }
        guard end == .ended(0) else { throw TranscriberFailure.notAudio(words: run.lastWords) }
        return DecodedAudio(silences: Self.silences(in: log))
    }

    /// Reads `silence_start: 12.3` and `silence_end: 14.5 | silence_duration: 2.2`.
    static func silences(in log: String) -> [ClosedRange<Double>] {
        var silences: [ClosedRange<Double>] = []
        var start: Double?
        for line in log.split(whereSeparator: \.isNewline) {
            if let value = number(after: "silence_start: ", in: line) { start = max(value, 0) }
            if let end = number(after: "silence_end: ", in: line), let begin = start {
                if end > begin { silences.append(begin...end) }
                start = nil
            }
        }
        return silences
    }

    private static func number(after name: String, in line: Substring) -> Double? {
        guard let range = line.firstRange(of: name) else { return nil }
        return Double(line[range.upperBound...].prefix { "-0123456789.".contains($0) })
    }
}

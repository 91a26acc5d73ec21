public import Domain
internal import Glibc

/// The user's speech recogniser, a program that is started for each piece.
public struct Recognizer: SpeechRecognizer {
    private let command: TranscriberCommand
    private let home: String
    private let priority: Int

    /// - Parameters:
    ///   - home: the user's home folder.
    ///   - priority: as of nice(1), 0 to 19.
    public init(_ command: TranscriberCommand, home: String, priority: Int = 19) {
        (self.command, self.home, self.priority) = (command, home, priority)
    }

    public var name: String { command.name }

    /// Fails early if the program is not installed.
    ///
    /// - Throws: `TranscriberFailure.notStarted`.
    public func check() throws {
        let words = command.arguments(audio: "", language: "", output: "", home: home)
        _ = try KeptProgram.path(of: words[0])
    }

    /// The extensions of transcripts with times, best first.
    private static let extensions = ["vtt", "srt", "json"]
    private static let maxOutput = 16 << 20

    public func recognize(_ request: RecognitionRequest) async throws -> RecognitionResult {
        let output = request.folder + "/transcript"
        let words = command.arguments(audio: request.audio, language: request.language, output: output, home: home)
        var program = KeptProgram(path: try KeptProgram.path(of: words[0]), words: words, folder: request.folder)
        program.priority = priority
        (program.timeout, program.maxOutput) = (request.timeout, Self.maxOutput)
        switch try await program.run() {
        case .timedOut: return .failed(PieceFailure(.timedOut, words: program.lastWords))
        case .wroteTooMuch: return .failed(PieceFailure(.tooMuch))
        case .ended(0): break
        case .ended(let status): return .failed(PieceFailure(.failed, status: status, words: program.lastWords))
        }
        do {
            for file in Self.transcripts(in: request.folder) {
                guard let text = try KeptProgram.read(file, limit: Self.maxOutput) else { return .failed(PieceFailure(.tooMuch)) }
                return .wrote(text)
            }
            let text = try KeptProgram.read(program.outputFile, limit: Self.maxOutput) ?? []
            return .wrote(text.isEmpty ? nil : text)
        } catch LibraryFailure.io(_, _, EACCES) {
            return .failed(PieceFailure(.noOutput))
        }
    }

    /// The files that may be the transcript, best first: `transcript.vtt`, but also `audio.vtt`, which a program names
    /// after the audio.
    private static func transcripts(in folder: String) -> [String] {
        let named =
            extensions.map { "\(folder)/transcript.\($0)" } + ["\(folder)/transcript"]
            + extensions.flatMap { ["\(folder)/transcript.wav.\($0)", "\(folder)/audio.\($0)", "\(folder)/audio.wav.\($0)"] }
        return named.filter { path in
            var facts = stat()
            return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
        }
    }
}

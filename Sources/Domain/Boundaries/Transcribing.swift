/// Turns the speech of one piece of audio into text. Another program does it.
public protocol SpeechRecognizer: Sendable {
    /// The program's name.
    var name: String { get }
    /// - Throws: `TranscriberFailure` if the program cannot be started; `CancellationError`.
    func recognize(_ request: RecognitionRequest) async throws -> RecognitionResult
}

public struct RecognitionRequest: Sendable {
    /// The path of a WAV file.
    public var audio: String
    /// An empty folder for what the program writes.
    public var folder: String
    /// A language code of two letters.
    public var language: String
    /// Seconds after which the program is ended.
    public var timeout: Double

    public init(audio: String, folder: String, language: String, timeout: Double) {
        (self.audio, self.folder, self.language, self.timeout) = (audio, folder, language, timeout)
    }
}

public enum RecognitionResult: Equatable, Sendable {
    /// The transcript as it was written; nil if nothing was.
    case wrote([UInt8]?)
    case failed(PieceFailure)
}

/// Decodes audio files of any format. Another program does it.
public protocol AudioDecoder: Sendable {
    /// Decodes a file to samples of 16 bits, 16,000 in a second, one channel, without a header, and listens for silences
    /// on the way.
    ///
    /// - Parameter path: of the file to write.
    /// - Throws: `TranscriberFailure`; `LibraryFailure.io` if the disk is full; `CancellationError`.
    func decode(_ file: String, to path: String) async throws -> DecodedAudio
}

public struct DecodedAudio: Equatable, Sendable {
    public static let samplesPerSecond = 16_000
    public static let bytesPerSecond = 2 * samplesPerSecond

    /// In order of time.
    public var silences: [ClosedRange<Double>]

    public init(silences: [ClosedRange<Double>]) { self.silences = silences }
}

/// Why no speech can be recognised at all.
public enum TranscriberFailure: Error, Equatable, Sendable {
    /// The setting is empty.
    case notSet
    case notStarted(program: String, errno: Int32)
    /// The audio could not be decoded.
    case notAudio(words: String?)
}

/// The unfinished transcriptions of this machine.
public protocol TranscriptionStore: Sendable {
    /// Opens the one of an episode, creating it if there is none.
    ///
    /// - Returns: nil if another run has it open.
    /// - Throws: `LibraryFailure.io`. So do the other methods.
    func open(_ episode: EpisodeID) throws -> (any UnfinishedTranscription)?
    /// For runs that nobody started by name: only one works at a time.
    ///
    /// - Returns: what ends the turn when it is released; nil if another run has it.
    func takeTurn() throws -> (any AnyObject & Sendable)?
    /// Identifies this machine among those that share the library.
    func holder() throws -> UInt64
    /// nil if there is none, or it is damaged.
    func state(of episode: EpisodeID) throws -> TranscriptionState?
    /// The number of finished pieces, and of all; nil if there is no plan.
    func progress(of episode: EpisodeID) throws -> (finished: Int, pieces: Int)?
    /// The episodes with an unfinished transcription.
    func episodes() throws -> [EpisodeID]
    /// Removes one, unless a run has it open.
    func remove(_ episode: EpisodeID) throws
}

/// An unfinished transcription: a plan, and the pieces that are finished. One run at a time has it, until it is released.
public protocol UnfinishedTranscription: AnyObject, Sendable {
    /// The folder for audio that was fetched.
    var folder: String { get }
    /// The path of the decoded audio.
    var decoded: String { get }
    var state: TranscriptionState? { get }
    /// The path of audio that an earlier run fetched; nil if there is none.
    func fetchedAudio() throws -> String?
    func facts(of file: String) throws -> AudioFacts
    /// Seconds of the decoded audio; nil if it does not exist.
    func decodedLength() throws -> Double?
    /// Durable when it returns. So is `store` of a piece.
    func store(_ state: TranscriptionState) throws
    func store(_ piece: FinishedPiece) throws
    /// Damaged pieces are left out.
    func pieces() throws -> [Int: FinishedPiece]
    /// Removes the plan and its pieces.
    func forget() throws
    /// Writes one piece of the decoded audio as a WAV file, into an empty folder of its own.
    func cut(_ piece: AudioPiece) throws -> (audio: String, folder: String)
    /// Removes the decoded audio, of which an earlier run may have written only a part.
    func removeDecoded() throws
    /// Removes what `cut` made.
    func removeCut(_ piece: AudioPiece) throws
    /// Removes the audio: fetched, decoded and cut.
    func removeAudio() throws
    /// Removes everything.
    func remove() throws
}

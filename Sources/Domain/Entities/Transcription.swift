/// How a transcript came about that jimmy made from an episode's audio.
public struct TranscriptMaking: Equatable, Sendable {
    /// The name of the recogniser's program.
    public var program: String
    /// Seconds of audio in a second.
    public var speed: Double?
    /// Of the audio file that it was made from.
    public var audio: AudioFacts
    /// The length of the enclosure as the feed gave it then; nil if it gave none.
    public var enclosureLength: Int?
    /// Pieces of the audio that the recogniser failed on, and that are to be tried again.
    public var missingPieces = 0

    public init(program: String, audio: AudioFacts) { (self.program, self.audio) = (program, audio) }

    /// True if the enclosure has another length by now, as it is with advertising put in for each listener: then the
    /// times may be off.
    public func timesMayBeOff(for item: Item) -> Bool {
        guard let now = item.chosenEnclosure?.length, now > 0, let enclosureLength, enclosureLength > 0 else { return false }
        return now != enclosureLength
    }
}

/// What identifies an audio file's content.
public struct AudioFacts: Equatable, Sendable {
    public var bytes: Int
    /// XXH64 of the bytes.
    public var hash: UInt64

    public init(bytes: Int, hash: UInt64) { (self.bytes, self.hash) = (bytes, hash) }
}

/// The plan of an unfinished transcription, and how it went so far.
public struct TranscriptionState: Equatable, Sendable {
    public var audio: AudioFacts
    /// Seconds.
    public var duration: Double
    public var pieces: [AudioPiece]
    /// Runs in a row in which a piece failed.
    public var failures = 0
    /// When to try the failed pieces again.
    public var retryAt: Timestamp?

    public init(audio: AudioFacts, duration: Double, pieces: [AudioPiece]) {
        (self.audio, self.duration, self.pieces) = (audio, duration, pieces)
    }

    /// Runs after which failed pieces are given up: what is there stands.
    public static let maxFailures = 7
}

/// A piece that the recogniser has ended with.
public struct FinishedPiece: Equatable, Sendable {
    public var number: Int
    public var verdict: PieceVerdict
    /// Seconds that it took.
    public var seconds: Double

    public init(number: Int, verdict: PieceVerdict, seconds: Double) {
        (self.number, self.verdict, self.seconds) = (number, verdict, seconds)
    }
}

public import Domain

/// What became of one episode that was to be transcribed.
public struct TranscriptionOutcome: Sendable {
    public enum Kind: Sendable {
        /// `missing` pieces are tried again later.
        case transcribed(TranscriptSource, missing: Int)
        /// It has a transcript already.
        case present(TranscriptSource)
        /// Its feed offers a transcript, which was not fetched.
        case offered
        /// Nobody speaks in it.
        case silent
        case failed(TranscriptionFailure)
        /// It failed before, and its time has not come.
        case waiting(until: Timestamp)
        /// Another run works on it.
        case busy
        /// The time of the run was over; the next one goes on.
        case interrupted(piecesLeft: Int)
        /// This machine failed.
        case storageFailed(LocalFailure)
    }

    public var listed: ListedEpisode
    public var kind: Kind

    package init(listed: ListedEpisode, kind: Kind) { (self.listed, self.kind) = (listed, kind) }
}

/// Why an episode has no transcript.
public enum TranscriptionFailure: Error, Equatable, Sendable {
    case noMedia
    /// Its audio could not be fetched.
    case fetch(FetchFailure)
    /// The host asked for a pause.
    case paused(until: Timestamp)
    /// What was fetched is no audio.
    case notAudio(words: String?)
    /// The recogniser failed on every piece.
    case recognizer(PieceFailure)
}

public struct TranscriptionSummary: Sendable {
    public var transcribed = 0
    public var silent = 0
    public var present = 0
    public var offered = 0
    public var failed = 0
    public var skipped = 0
    /// Episodes that the run had no time for.
    public var remaining = 0
    /// Of audio that was recognised in this run, and of the time that it took.
    public var audioSeconds = 0.0
    public var seconds = 0.0
    public var firstFailure: TranscriptionFailure?
    public var localFailure: LocalFailure?
    /// True if the recogniser failed again and again, so that the run was ended.
    public var isGivenUp = false

    public init() {}

    /// Seconds of audio in a second; nil if nothing was recognised.
    public var speed: Double? { seconds > 0 && audioSeconds > 0 ? audioSeconds / seconds : nil }

    package mutating func add(_ kind: TranscriptionOutcome.Kind) {
        switch kind {
        case .transcribed: transcribed += 1
        case .silent: silent += 1
        case .present: present += 1
        case .offered: offered += 1
        case .failed(let failure):
            failed += 1
            firstFailure = firstFailure ?? failure
        case .waiting, .busy: skipped += 1
        case .interrupted: remaining += 1
        case .storageFailed(let failure):
            failed += 1
            localFailure = localFailure ?? failure
        }
    }
}

/// The progress of one episode.
public enum TranscriptionStep: Sendable {
    case fetching(DownloadProgressStep)
    case decoding(ListedEpisode)
    case recognized(TranscriptionProgress)
}

public struct TranscriptionProgress: Sendable {
    public var listed: ListedEpisode
    /// Seconds of the audio.
    public var done: Double
    public var total: Double
    /// Seconds of audio in a second; nil before the first piece.
    public var speed: Double?

    package init(listed: ListedEpisode, done: Double, total: Double, speed: Double?) {
        (self.listed, self.done, self.total, self.speed) = (listed, done, total, speed)
    }

    /// Seconds that the remaining audio takes; nil if the speed is unknown.
    public var remaining: Double? { speed.flatMap { $0 > 0 ? max(total - done, 0) / $0 : nil } }
}

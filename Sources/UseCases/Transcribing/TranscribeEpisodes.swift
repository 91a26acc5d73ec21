import Addresses
public import Domain
public import Results
import Scheduling
public import Searching

/// Makes transcripts from the audio of episodes, one episode after the other.
///
/// ```
/// download, or fetch ─▶ decode ─▶ plan (pieces) ─▶ recognise × N ─▶ join ─▶ store ─▶ index
///                        ffmpeg     durable         each durable
/// ```
/// A run may be killed at any moment: the next one goes on with the pieces that are not finished.
public struct TranscribeEpisodes: Sendable {
    public struct Options: Sendable {
        public var budget = TranscriptionBudget()
        /// Pieces that are recognised at once.
        public var recognizers = 1
        /// True if the owner named the episodes, so that an earlier failure does not make them wait.
        public var isNamed = false
        /// True to replace transcripts that were made before.
        public var isAgain = false
        /// Seconds.
        public var pieceLength = AudioPiece.usualLength
        /// How feeds are read again whose media URLs expired.
        public var refresh = RefreshOptions()

        public init() {}
    }

    /// The adapters and the clock.
    public struct Parts: Sendable {
        let library: Repositories
        let index: (any SearchIndex)?
        let languages: any SearchIndex
        let files: any MediaFiles
        let store: any TranscriptionStore
        let passages: any PassageStore
        let fetcher: any FeedFetching
        let renew: RenewMediaURLs
        let decoder: any AudioDecoder
        let recognizer: any SpeechRecognizer
        let read: ReadTranscript
        let clock: @Sendable () -> Timestamp

        /// - Parameters:
        ///   - index: nil if it follows the library by itself.
        ///   - languages: the index that knows the languages of podcasts.
        public init(
            _ library: Repositories, index: (any SearchIndex)?, languages: any SearchIndex, files: any MediaFiles,
            store: any TranscriptionStore, passages: any PassageStore, fetcher: any FeedFetching, renew: RenewMediaURLs,
            decoder: any AudioDecoder,
            recognizer: any SpeechRecognizer, read: @escaping ReadTranscript, clock: @escaping @Sendable () -> Timestamp
        ) {
            self.library = library
            self.index = index
            self.languages = languages
            self.files = files
            self.store = store
            self.passages = passages
            self.fetcher = fetcher
            self.renew = renew
            self.decoder = decoder
            self.recognizer = recognizer
            self.read = read
            self.clock = clock
        }
    }

    private let parts: Parts
    private let listing: ListEpisodes
    private let reconcile: ReconcileIndex?

    public init(_ parts: Parts, listing: ListEpisodes, reconcile: ReconcileIndex?) {
        (self.parts, self.listing, self.reconcile) = (parts, listing, reconcile)
    }

    /// Episodes in a row on which the recogniser may fail; then the recogniser is broken, not the audio.
    private static let maxFailuresInARow = 3

    /// - Parameters:
    ///   - follow: receives the progress, on any thread.
    ///   - report: receives the outcome of each episode.
    /// - Throws: `TranscriberFailure` if the recogniser or the decoder cannot be started; `LibraryFailure`.
    public func callAsFunction(
        _ wanted: [EpisodeID], _ options: Options, _ politeness: Politeness,
        follow: @escaping @Sendable (TranscriptionStep) -> Void = { _ in },
        report: @Sendable (TranscriptionOutcome) async -> Void
    ) async throws -> TranscriptionSummary {
        var summary = TranscriptionSummary()
        var speed = RecognitionSpeed()
        var failuresInARow = 0
        var changed: Set<PodcastID> = []
        for (place, id) in wanted.enumerated() {
            if Task.isCancelled || politeness.isEnding
                || !options.budget.allows(options.pieceLength, speed: speed.current, now: parts.clock())
            {
                summary.remaining += wanted.count - place
                break
            }
            guard let listed = try await listing.listed([id]).first else { continue }
            var one = TranscribeEpisode(parts: parts, listed: listed, options: options, politeness: politeness, follow: follow)
            let kind = try await one(&speed)
            summary.add(kind)
            await report(TranscriptionOutcome(listed: listed, kind: kind))
            if case .storageFailed = kind { break }
            if case .transcribed = kind { changed.insert(id.podcastID) }
            switch kind {
            case .failed(.recognizer): failuresInARow += 1
            case .transcribed, .silent: failuresInARow = 0
            default: break
            }
            if failuresInARow == Self.maxFailuresInARow {
                summary.isGivenUp = true
                summary.remaining += wanted.count - place - 1
                break
            }
        }
        (summary.audioSeconds, summary.seconds) = (speed.audio, speed.time)
        if !changed.isEmpty {
            try await MarkAdvertising(library: parts.library, index: parts.index, passages: parts.passages)(changed)
            _ = try? await reconcile?()
        }
        return summary
    }

    /// True if the feed offers a transcript that a refresh may still fetch.
    static func isOffered(_ episode: Episode, _ entry: TranscriptEntry?) -> Bool {
        !episode.item.transcripts.isEmpty && entry?.failure == nil && (entry?.stored.map { $0.making != nil } ?? true)
            && episode.item.transcripts.contains { $0.url.flatMap(WebURL.init) != nil }
    }

    static func isWaiting(until retryAt: Timestamp?, _ now: Timestamp) -> Bool {
        // A time further away was written by a clock that has jumped.
        guard let retryAt else { return false }
        return retryAt > now && retryAt - now <= Schedule.transcriptionBackoff(failures: .max)
    }
}

/// The speed of the run so far.
struct RecognitionSpeed {
    /// Seconds of audio, and seconds that they took.
    private(set) var audio = 0.0
    private(set) var time = 0.0

    /// Seconds of audio in a second; nil before the first piece.
    var current: Double? { time > 0 && audio > 0 ? audio / time : nil }

    mutating func add(audio: Double, time: Double) {
        self.audio += audio
        self.time += time
    }
}

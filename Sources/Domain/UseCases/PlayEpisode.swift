/// A part of an episode that playing can begin at.
public struct PlayableChapter: Equatable, Sendable {
    /// Seconds into the episode.
    public var start: Double
    public var title: String
}

/// What is to be played, from where, and what being played changes.
public struct PlayEpisode: Sendable {
    private let queue: ManageQueue
    private let tag: TagEpisodes
    private let transcripts: any TranscriptRepository
    private let downloads: any DownloadRepository
    private let files: any MediaFiles

    public init(
        queue: ManageQueue, tag: TagEpisodes, transcripts: any TranscriptRepository, downloads: any DownloadRepository,
        files: any MediaFiles
    ) {
        self.queue = queue
        self.tag = tag
        self.transcripts = transcripts
        self.downloads = downloads
        self.files = files
    }

    /// Why an episode cannot be played as it was asked for.
    public enum Failure: Error, Equatable, Sendable {
        case noMedia
        case noTranscript(isOffered: Bool)
        /// The text is not in the transcript, or the transcript does not say when.
        case notSaid(String)
        /// - Parameter isOffered: the feed names a file of chapters, which is not fetched.
        case noChapter(Int, of: Int, isOffered: Bool)
    }

    /// Where playing begins.
    public enum Start: Equatable, Sendable {
        case beginning
        /// Where the transcript has this text.
        case said(String)
        /// Counted from 1.
        case chapter(Int)
    }

    /// The downloaded file, or else the URL of the episode's media; and the seconds to begin at.
    ///
    /// - Throws: `Failure`; `LibraryFailure`.
    public func media(of episode: Episode, from start: Start) async throws -> (url: String, seconds: Double) {
        guard let url = try await file(of: episode) ?? episode.item.enclosures.lazy.compactMap(\.url).first else {
            throw Failure.noMedia
        }
        switch start {
        case .beginning: return (url, 0)
        case .chapter(let number):
            let stored = try await transcripts.chapters(of: episode.id)
            let starts = stored?.segments.map(\.start) ?? episode.item.inlineChapters.map(\.start)
            guard starts.indices.contains(number - 1) else {
                throw Failure.noChapter(
                    number, of: starts.count, isOffered: stored == nil && episode.item.chapters != nil)
            }
            return (url, starts[number - 1] ?? 0)
        case .said(let text):
            guard let transcript = try await transcripts.transcript(of: episode.id) else {
                throw Failure.noTranscript(isOffered: !episode.item.transcripts.isEmpty)
            }
            guard let seconds = SpokenText(transcript.segments).start(of: text) else { throw Failure.notSaid(text) }
            return (url, seconds)
        }
    }

    /// Those of the file that the feed names, if it was fetched, else those of the feed.
    public func chapters(of episode: Episode) async throws -> [PlayableChapter] {
        if let stored = try await transcripts.chapters(of: episode.id) {
            return stored.segments.map { PlayableChapter(start: $0.start ?? 0, title: $0.text) }
        }
        return episode.item.inlineChapters.map { PlayableChapter(start: $0.start ?? 0, title: $0.title ?? "") }
    }

    private func file(of episode: Episode) async throws -> String? {
        guard let path = try await downloads.downloads(of: [episode.id])[episode.id]?.file?.path else { return nil }
        return try files.file(at: path)?.path
    }

    /// The player ended well: the episode is played, no longer new, and off the queue.
    public func finish(_ episode: EpisodeID) async throws {
        try await tag(TagEdit(adding: [.played]), [episode])
        _ = try await queue.remove([episode])
    }
}

/// A transcript as one row of words, in which a phrase may go over several segments.
struct SpokenText {
    private var words: [String] = []
    /// For each word, when its segment is said.
    private var starts: [Double?] = []

    init(_ segments: [TranscriptSegment]) {
        for segment in segments {
            let words = TitleName.foldedWords(of: segment.text)
            self.words += words
            starts += words.map { _ in segment.start }
        }
    }

    /// Letter case, accents and punctuation do not matter. nil if it is not said, or if nobody knows when.
    func start(of phrase: String) -> Double? {
        let phrase = TitleName.foldedWords(of: phrase)
        guard !phrase.isEmpty, let range = words.firstRange(of: phrase) else { return nil }
        return starts[range.lowerBound]
    }
}

public import Domain

/// Finds what to play, and from where.
public struct PlayEpisode: Sendable {
    private let transcripts: any TranscriptRepository
    private let downloads: any DownloadRepository
    private let files: any MediaFiles

    public init(_ library: Repositories, files: any MediaFiles) {
        transcripts = library.transcripts
        downloads = library.downloads
        self.files = files
    }

    /// Where playing begins.
    public enum Start: Equatable, Sendable {
        case seconds(Double)
        /// Where this text is spoken, according to the transcript.
        case text(String)
        /// Counted from 1.
        case chapter(Int)
    }

    /// The downloaded file, or else the URL of the enclosure, and the second to begin at.
    ///
    /// - Throws: `PlayFailure`; `LibraryFailure`.
    public func media(of episode: Episode, from start: Start) async throws -> (url: String, seconds: Double) {
        guard let url = try await file(of: episode) ?? episode.item.chosenEnclosure?.url else {
            throw PlayFailure.noMedia
        }
        switch start {
        case .seconds(let seconds): return (url, seconds)
        case .chapter(let number):
            let stored = try await transcripts.chapters(of: episode.id)
            let starts = stored?.segments.map(\.start) ?? episode.item.inlineChapters.map(\.start)
            guard starts.indices.contains(number - 1) else {
                throw PlayFailure.noChapter(
                    number, of: starts.count, isOffered: stored == nil && episode.item.chapters != nil)
            }
            return (url, starts[number - 1] ?? 0)
        case .text(let text):
            guard let transcript = try await transcripts.transcript(of: episode.id) else {
                throw PlayFailure.noTranscript(isOffered: !episode.item.transcripts.isEmpty)
            }
            guard let seconds = SpokenText(transcript.segments).start(of: text) else { throw PlayFailure.textNotFound(text) }
            return (url, seconds)
        }
    }

    /// The chapters of the feed's chapters file if it was fetched, else those in the feed itself.
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
}

/// A transcript as one sequence of words, so that a phrase may span several segments.
struct SpokenText {
    private var words: [String] = []
    /// For each word, the start of its segment.
    private var starts: [Double?] = []

    init(_ segments: [TranscriptSegment]) {
        for segment in segments {
            let words = TitleName.foldedWords(of: segment.text)
            self.words += words
            starts += words.map { _ in segment.start }
        }
    }

    /// The start of a phrase, ignoring case, accents and punctuation; nil if it does not occur or has no time.
    func start(of phrase: String) -> Double? {
        let phrase = TitleName.foldedWords(of: phrase)
        guard !phrase.isEmpty, let range = words.firstRange(of: phrase) else { return nil }
        return starts[range.lowerBound]
    }
}

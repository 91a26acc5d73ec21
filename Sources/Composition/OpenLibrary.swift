public import Domain
import Downloads
import Fetching
import Parsing
import Transcribing
public import UseCases

/// The boundaries that a library implements, in a folder or in a database.
typealias StoredLibrary = PodcastRepository & EpisodeRepository & TranscriptRepository & WorkSource & QueueRepository
    & TagRepository & UndoRepository & DownloadRepository & PositionRepository

/// An open library, with the use cases that work on it.
public struct OpenLibrary: Sendable {
    let library: any StoredLibrary
    let index: any SearchIndex
    /// True if commands index what they change. The index of a library that many machines share follows the library
    /// where it is searched.
    let indexesChanges: Bool
    /// The library's clock. In a database it is the database's, so that all users of the library share one.
    public let clock: @Sendable () -> Timestamp
    public let composition: Composition

    public var podcasts: any PodcastRepository { library }
    public var episodes: any EpisodeRepository { library }
    public var transcripts: any TranscriptRepository { library }
    public var work: any WorkSource { library }

    public var find: FindPodcast { FindPodcast(podcasts: library, episodes: library, index: index, reconcile: reconcile) }
    public var shorten: ShortenIDs { ShortenIDs(podcasts: library, episodes: library) }
    public var fetchPodcasts: FetchPodcasts { FetchPodcasts(podcasts: library) }
    public var listEpisodes: ListEpisodes { ListEpisodes(podcasts: library, episodes: library, tags: library) }
    public var queue: ManageQueue {
        ManageQueue(queue: library, episodes: library, listing: listEpisodes, undo: library)
    }
    public var tags: any TagRepository { library }
    public var steps: any UndoRepository { library }
    public var tag: TagEpisodes { TagEpisodes(tags: library, undo: library) }
    public var dumpTags: DumpTags { DumpTags(podcasts: library, episodes: library, tags: library) }
    public var restoreTags: RestoreTags { RestoreTags(podcasts: library, episodes: library, tags: library) }
    public var findSimilar: FindSimilarEpisodes {
        FindSimilarEpisodes(podcasts: library, episodes: library, index: index, reconcile: reconcile)
    }
    public var suggest: SuggestEpisodes {
        SuggestEpisodes(
            podcasts: library, episodes: library, tags: library, queue: library, similar: findSimilar, listing: listEpisodes)
    }
    public var findNext: FindNextEpisode { FindNextEpisode(episodes: library, tags: library, positions: library) }
    public var order: OrderEpisodes { OrderEpisodes(episodes: library) }
    public var measureActivity: MeasureActivity {
        MeasureActivity(podcasts: library, episodes: library, positions: library, index: index, reconcile: reconcile)
    }

    public var loadStatus: LoadStatus { LoadStatus(podcasts: library, work: library, queue: library, reconcile: reconcile) }

    /// The language in which the index has a podcast's texts; nil if the index cannot be read or does not have the
    /// podcast.
    public func searchLanguage(of podcast: PodcastID) async -> String? {
        try? await index.language(of: podcast)
    }

    public var reconcile: ReconcileIndex {
        ReconcileIndex(podcasts: library, episodes: library, transcripts: library, index: index)
    }

    /// Brings the index of a library that others change in line, as far as it can be written.
    public func follow() async { if !indexesChanges { _ = try? await reconcile() } }

    private var changedIndex: (any SearchIndex)? { indexesChanges ? index : nil }
    private var reconcileChanges: ReconcileIndex? { indexesChanges ? reconcile : nil }

    public var search: SearchEpisodes {
        SearchEpisodes(
            podcasts: library, episodes: library, transcripts: library, tags: library, queue: library, index: index,
            expansion: composition.expansion)
    }

    public var unsubscribe: UnsubscribeFromPodcast {
        UnsubscribeFromPodcast(podcasts: library, episodes: library, tags: library, undo: library, index: changedIndex)
    }

    public var edit: EditPodcast {
        EditPodcast(podcasts: library, episodes: library, transcripts: library, undo: library, index: changedIndex)
    }

    public var undo: UndoCommands {
        UndoCommands(undo: library, podcasts: library, unsubscribe: unsubscribe, reconcile: reconcileChanges)
    }
    public var play: PlayEpisode { PlayEpisode(transcripts: library, downloads: library, files: files) }
    public func chapters(of episode: Episode) async throws -> [PlayableChapter] { try await play.chapters(of: episode) }
    public var positions: PlaybackPositions { PlaybackPositions(positions: library, undo: library) }
    public var listen: ListenToEpisode { ListenToEpisode(positions: positions, queue: queue, clock: clock) }
    public var history: ListHistory { ListHistory(positions: library, listing: listEpisodes) }
    public var files: any MediaFiles { MediaFolder() }
    public var downloads: any DownloadRepository { library }

    public func downloadRetention(journal: (any RunJournal)? = nil) -> DownloadRetention {
        DownloadRetention(podcasts: library, listing: listEpisodes, downloads: library, files: files, journal: journal)
    }

    public func fetchArchive(
        by fetcher: any FeedFetching, journal: (any RunJournal)? = nil, script: (any RunScript)? = nil
    ) -> FetchArchive {
        FetchArchive(
            fetcher: fetcher, makeParser: { FeedParser($0) }, podcasts: library, episodes: library, work: library,
            reconcile: reconcileChanges, clock: clock, journal: journal, script: script)
    }

    public func download(by fetcher: any FeedFetching, journal: (any RunJournal)? = nil) -> DownloadEpisodes {
        DownloadEpisodes(fetcher: fetcher, files: files, downloads: library, work: library, clock: clock, journal: journal)
    }

    public var subscribe: SubscribeToPodcast { subscribe(by: composition.fetcher()) }

    public func subscribe(by fetcher: any FeedFetching) -> SubscribeToPodcast {
        SubscribeToPodcast(
            fetcher: fetcher, makeParser: { FeedParser($0) }, findFeedLinks: { FeedLinks.find($0, $1) },
            directories: composition.directories, podcasts: library, episodes: library, transcripts: library, tags: library,
            work: library, index: changedIndex, clock: clock)
    }

    public func refresh(by fetcher: any FeedFetching, journal: (any RunJournal)?, meter: RunMeter) -> RefreshEpisodes {
        RefreshEpisodes(
            fetcher: fetcher, makeParser: { FeedParser($0) }, podcasts: library, episodes: library,
            transcripts: library, work: library, tags: library, index: changedIndex, clock: clock, journal: journal,
            meter: meter)
    }

    public func replay(by fetcher: any FeedFetching) -> ReplayEpisodes {
        ReplayEpisodes(
            fetcher: fetcher, makeParser: { FeedParser($0) }, podcasts: library, episodes: library,
            transcripts: library, work: library, tags: library, index: index,
            steps: ReplaySteps(
                texts: fetchTranscripts(by: fetcher), archive: { fetchArchive(by: fetcher, script: $0) },
                downloads: library, work: library))
    }

    /// Adds the subscriptions of an OPML list, without fetching them.
    ///
    /// - Throws: `NotOPML`, `LibraryFailure`.
    public func importList(_ list: [UInt8], now: Timestamp) async throws -> (
        verdicts: [ImportVerdict], isTruncated: Bool
    ) {
        let list = try OPML.read(list)
        return (try await ImportSubscriptions(podcasts: library)(list.outlines, now: now), list.isTruncated)
    }

    /// The feed URLs in an OPML list, in order.
    ///
    /// - Throws: `NotOPML`.
    public static func feedURLs(inList list: [UInt8]) throws -> [String] { try OPML.read(list).outlines.map(\.feedURL) }

    private var transcriptions: any TranscriptionStore { TranscriptionFolder(composition.indexFolder + "/transcribing") }

    public var findUntranscribed: FindUntranscribed {
        FindUntranscribed(
            podcasts: library, episodes: library, transcripts: library, tags: library, queue: library, store: transcriptions,
            clock: clock)
    }

    /// Makes transcripts with these programs.
    public func transcribe(
        by fetcher: any FeedFetching, _ recognizer: any SpeechRecognizer, _ decoder: any AudioDecoder
    ) -> TranscribeEpisodes {
        TranscribeEpisodes(
            TranscribeEpisodes.Parts(
                episodes: library, transcripts: library, downloads: library, work: library, index: changedIndex,
                languages: index, files: files, store: transcriptions, fetcher: fetcher, decoder: decoder,
                recognizer: recognizer, read: { TranscriptParser.segments(of: $0, $1) }, clock: clock),
            listing: listEpisodes, reconcile: reconcileChanges)
    }

    /// Fetches transcripts with the fetcher of the refresh before it, to use the same connections.
    public func fetchTranscripts(by fetcher: any FeedFetching, journal: (any RunJournal)? = nil) -> FetchTranscripts {
        FetchTranscripts(
            fetcher: fetcher, read: { TranscriptParser.segments(of: $0, $1) }, podcasts: library, episodes: library,
            transcripts: library, work: library, index: changedIndex, clock: clock, journal: journal)
    }
}

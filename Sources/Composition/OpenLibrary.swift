public import Domain
import Downloads
import Fetching
import Parsing
public import Results
import Searching
import Transcribing
public import UseCases

/// An open library, with the use cases that work on it.
public struct OpenLibrary: Sendable {
    public let repositories: Repositories
    let index: any SearchIndex
    /// True if commands index what they change. The index of a library that many machines share follows the library
    /// where it is searched.
    let indexesChanges: Bool
    /// The library's clock. In a database it is the database's, so that all users of the library share one.
    public let clock: @Sendable () -> Timestamp
    public let composition: Composition

    public var podcasts: any PodcastRepository { repositories.podcasts }
    public var episodes: any EpisodeRepository { repositories.episodes }
    public var transcripts: any TranscriptRepository { repositories.transcripts }
    public var work: any WorkSource { repositories.work }

    public var find: FindPodcast { FindPodcast(repositories, index: index, reconcile: reconcile) }
    public var shorten: ShortenIDs { ShortenIDs(repositories) }
    public var fetchPodcasts: FetchPodcasts { FetchPodcasts(repositories) }
    public var listEpisodes: ListEpisodes { ListEpisodes(repositories) }
    public var queue: ManageQueue {
        ManageQueue(repositories, listing: listEpisodes)
    }
    public var tags: any TagRepository { repositories.tags }
    public var tag: TagEpisodes { TagEpisodes(repositories) }
    public var dumpTags: DumpTags { DumpTags(repositories) }
    public var restoreTags: RestoreTags { RestoreTags(repositories) }
    public var findSimilar: FindSimilarEpisodes {
        FindSimilarEpisodes(repositories, index: index, reconcile: reconcile)
    }
    public var suggest: SuggestEpisodes {
        SuggestEpisodes(repositories, similar: findSimilar, listing: listEpisodes)
    }
    public var findNext: FindNextEpisode { FindNextEpisode(repositories) }
    public var order: OrderEpisodes { OrderEpisodes(repositories) }
    public var measureActivity: MeasureActivity {
        MeasureActivity(repositories, index: index, reconcile: reconcile)
    }

    public var loadStatus: LoadStatus { LoadStatus(repositories, reconcile: reconcile, index: index) }

    /// The language in which the index has a podcast's texts; nil if the index cannot be read or does not have the
    /// podcast.
    public func searchLanguage(of podcast: PodcastID) async -> String? {
        try? await index.language(of: podcast)
    }

    public var reconcile: ReconcileIndex {
        ReconcileIndex(repositories, index: index)
    }

    /// Brings the index of a library that others change in line, as far as it can be written.
    public func follow() async { if !indexesChanges { _ = try? await reconcile() } }

    private var changedIndex: (any SearchIndex)? { indexesChanges ? index : nil }
    private var reconcileChanges: ReconcileIndex? { indexesChanges ? reconcile : nil }

    public var search: SearchEpisodes {
        SearchEpisodes(repositories, index: index, expansion: composition.expansion)
    }

    public var unsubscribe: UnsubscribeFromPodcast {
        UnsubscribeFromPodcast(repositories, index: changedIndex)
    }

    public var edit: EditPodcast {
        EditPodcast(repositories, index: changedIndex)
    }

    public var undo: UndoCommands {
        UndoCommands(repositories, unsubscribe: unsubscribe, settings: OwnSettings(), reconcile: reconcileChanges)
    }
    public var play: PlayEpisode { PlayEpisode(repositories, files: files) }
    public func chapters(of episode: Episode) async throws -> [PlayableChapter] { try await play.chapters(of: episode) }
    public var positions: PlaybackPositions { PlaybackPositions(repositories) }
    public var listen: ListenToEpisode { ListenToEpisode(positions: positions, queue: queue, clock: clock) }
    public var bookmarks: ManageBookmarks { ManageBookmarks(repositories, listing: listEpisodes) }
    public var history: ListHistory { ListHistory(repositories, listing: listEpisodes) }
    public var files: any MediaFiles { MediaFolder(memory: composition.indexFolder + "/downloads") }
    public var downloads: any DownloadRepository { repositories.downloads }

    public func downloadRetention(journal: (any RunJournal)? = nil) -> DownloadRetention {
        DownloadRetention(repositories, listing: listEpisodes, files: files, journal: journal)
    }

    public func fetchArchive(
        by fetcher: any FeedFetching, journal: (any RunJournal)? = nil, script: (any RunScript)? = nil
    ) -> FetchArchive {
        FetchArchive(
            repositories, fetcher: fetcher, makeParser: { FeedParser($0) }, reconcile: reconcileChanges, clock: clock,
            journal: journal, script: script)
    }

    public func download(
        by fetcher: any FeedFetching, tagging: WriteMediaTags? = nil, journal: (any RunJournal)? = nil
    ) -> DownloadEpisodes {
        DownloadEpisodes(repositories, fetcher: fetcher, files: files, clock: clock, tagging: tagging, journal: journal)
    }

    public func renewMediaURLs(by fetcher: any FeedFetching) -> RenewMediaURLs {
        RenewMediaURLs(refresh: refresh(by: fetcher, journal: nil, meter: RunMeter()), listing: listEpisodes, fetcher: fetcher)
    }

    /// - Parameter tell: receives what failed.
    public func writeMediaTags(
        by fetcher: any FeedFetching, _ writer: any MediaTagWriting, tell: @escaping @Sendable (String, MediaTagFailure) -> Void
    ) -> WriteMediaTags {
        WriteMediaTags(fetcher: fetcher, writer: writer, episodes: repositories.episodes, play: play, tell: tell)
    }

    public var subscribe: SubscribeToPodcast { subscribe(by: composition.fetcher()) }

    public func subscribe(by fetcher: any FeedFetching) -> SubscribeToPodcast {
        SubscribeToPodcast(
            repositories, fetcher: fetcher, makeParser: { FeedParser($0) }, findFeedLinks: { FeedLinks.find($0, $1) },
            directories: composition.directories, index: changedIndex, clock: clock)
    }

    public func refresh(by fetcher: any FeedFetching, journal: (any RunJournal)?, meter: RunMeter) -> RefreshEpisodes {
        RefreshEpisodes(
            repositories, fetcher: fetcher, makeParser: { FeedParser($0) }, index: changedIndex, clock: clock, journal: journal,
            meter: meter)
    }

    public func replay(by fetcher: any FeedFetching) -> ReplayEpisodes {
        ReplayEpisodes(
            repositories, fetcher: fetcher, makeParser: { FeedParser($0) }, index: index,
            steps: ReplaySteps(
                repositories, texts: fetchTranscripts(by: fetcher), archive: { fetchArchive(by: fetcher, script: $0) }))
    }

    /// Adds the subscriptions of an OPML list, without fetching them.
    ///
    /// - Throws: `NotOPML`, `LibraryFailure`.
    public func importList(_ list: [UInt8], now: Timestamp) async throws -> (
        verdicts: [ImportVerdict], isTruncated: Bool
    ) {
        let list = try OPML.read(list)
        return (try await ImportSubscriptions(repositories)(list.outlines, now: now), list.isTruncated)
    }

    public var syncAppSubscriptions: SyncAppSubscriptions {
        SyncAppSubscriptions(repositories, unsubscribe: unsubscribe)
    }
    public var syncAppActions: SyncAppActions { SyncAppActions(repositories) }

    public var importLibrary: ImportLibrary { ImportLibrary(repositories, restore: restoreTags) }

    /// The feed URLs in an OPML list, in order.
    ///
    /// - Throws: `NotOPML`.
    public static func feedURLs(inList list: [UInt8]) throws -> [String] { try OPML.read(list).outlines.map(\.feedURL) }

    private var transcriptions: any TranscriptionStore { TranscriptionFolder(composition.indexFolder + "/transcribing") }

    private var passages: any PassageStore { PassageFolder(composition.indexFolder + "/passages") }

    public var findUntranscribed: FindUntranscribed {
        FindUntranscribed(repositories, store: transcriptions, clock: clock)
    }

    /// Makes transcripts with these programs.
    public func transcribe(
        by fetcher: any FeedFetching, _ recognizer: any SpeechRecognizer, _ decoder: any AudioDecoder
    ) -> TranscribeEpisodes {
        TranscribeEpisodes(
            TranscribeEpisodes.Parts(
                repositories, index: changedIndex, languages: index, files: files, store: transcriptions, passages: passages,
                fetcher: fetcher,
                renew: renewMediaURLs(by: fetcher), decoder: decoder, recognizer: recognizer,
                read: { TranscriptParser.segments(of: $0, $1) },
                clock: clock),
            listing: listEpisodes, reconcile: reconcileChanges)
    }

    /// Fetches transcripts with the fetcher of the refresh before it, to use the same connections.
    public func fetchTranscripts(by fetcher: any FeedFetching, journal: (any RunJournal)? = nil) -> FetchTranscripts {
        FetchTranscripts(
            repositories, fetcher: fetcher, read: { TranscriptParser.segments(of: $0, $1) }, index: changedIndex,
            passages: passages,
            clock: clock, journal: journal)
    }
}

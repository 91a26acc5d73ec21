public import Domain
import Results

/// Repeats the steps of a recorded refresh after its feeds. Transcripts, chapters and older pages are read from the
/// recording; of media files only the recorded entries are stored.
public struct ReplaySteps: Sendable {
    private let texts: FetchTranscripts
    private let archive: @Sendable (any RunScript) -> FetchArchive
    private let downloads: any DownloadRepository
    private let work: any WorkSource

    public init(
        _ library: Repositories, texts: FetchTranscripts, archive: @escaping @Sendable (any RunScript) -> FetchArchive
    ) {
        self.texts = texts
        self.archive = archive
        downloads = library.downloads
        work = library.work
    }

    func run(
        _ script: any RunScript, _ summary: inout RefreshSummary, report: @escaping @Sendable (RefreshEvent) async -> Void
    ) async throws {
        let options = script.start.options
        let politeness = Politeness(slotsPerHost: options.perHost) { script.start.now }
        while let step = try script.nextStep() {
            switch step {
            case .planned(let text, let now):
                let result = try await texts.replay(text, plannedAt: now, script, politeness, report: report)
                switch text {
                case .transcript: summary.transcripts = result
                case .chapters: summary.chapters = result
                }
            case .archive(let podcast, let maxPages, let isForced):
                var archiveOptions = FetchArchive.Options()
                (archiveOptions.limits, archiveOptions.maxPages) = (options.limits, maxPages)
                archiveOptions.isForced = isForced
                _ = try await archive(script)(podcast, archiveOptions, politeness)
            case .downloads(let entries): try await downloads.store(entries)
            case .downloadsEnded(let hosts): try await work.store(hosts)
            // Left over from steps that could not be repeated because the library differs.
            case .texts, .textsEnded, .page, .archiveEnded: break
            }
        }
    }
}

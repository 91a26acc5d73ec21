import Addresses
import Domain
import Results

/// Finds the audio of an episode: the downloaded file, else one that an earlier run fetched, else it is fetched now.
struct FindAudio: Sendable {
    let parts: TranscribeEpisodes.Parts
    let listed: ListedEpisode
    let politeness: Politeness
    let follow: @Sendable (TranscriptionStep) -> Void

    /// The path; nil if another run is fetching it.
    ///
    /// - Throws: `TranscriptionFailure`; `LocalFailure`; `LibraryFailure`.
    func callAsFunction(_ work: any UnfinishedTranscription) async throws -> String? {
        let episode = listed.episode
        if let path = try await parts.library.downloads.downloads(of: [episode.id])[episode.id]?.file?.path,
            let file = try parts.files.file(at: path)
        {
            return file.path
        }
        if let fetched = try work.fetchedAudio() { return fetched }
        guard let enclosure = episode.item.chosenEnclosure, let url = enclosure.url.flatMap(WebURL.init),
            let template = MediaName("audio.{ext}")
        else { throw TranscriptionFailure.noMedia }
        let name = DownloadName(
            folder: work.folder, template: template, listed: listed,
            ext: MediaType.fileExtension(type: enclosure.type, url: enclosure.url ?? ""), podcastFolder: nil)
        let job = DownloadJob(listed: listed, entry: DownloadEntry(episode.id), url: url, enclosure: enclosure, name: name)
        switch try await fetch(job) {
        case .downloaded(let file), .present(let file):
            try parts.files.settle(file.path)
            return file.path
        case .failed(let failure): throw TranscriptionFailure.fetch(failure)
        case .skipped(let until): throw TranscriptionFailure.paused(until: until ?? parts.clock())
        case .storageFailed(let failure): throw failure
        case .busy: return nil
        }
    }

    /// Asks the server under the same rules as feeds and downloads.
    private func fetch(_ job: DownloadJob) async throws -> DownloadOutcome.Kind {
        politeness.restore(pauses: try await parts.library.work.pauses(now: parts.clock()))
        politeness.restore(allowances: try await parts.library.work.hosts([job.hostKey]))
        let follow = follow
        let download = DownloadFile(
            fetcher: parts.fetcher, files: parts.files, politeness: politeness, room: DownloadRoom(nil)
        ) { follow(.fetching($0)) }
        let scheduler = Scheduler<DownloadJob, DownloadOutcome.Kind>(concurrency: 1, politeness: politeness)
        var kind = DownloadOutcome.Kind.skipped(until: nil)
        await scheduler.run([job]) { job in
            await download(job)
        } handOver: { outcome in
            switch outcome {
            case .replied(_, let reply): kind = reply
            case .paused(_, let until): kind = .skipped(until: until)
            case .unreachable(_, let failure): kind = .failed(failure)
            }
        }
        try await parts.library.work.store(politeness.rows())
        if Task.isCancelled { throw CancellationError() }
        return kind
    }
}

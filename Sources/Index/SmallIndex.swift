internal import Domain

/// A temporary index of a few episodes.
final class SmallIndex {
    let snapshot: IndexSnapshot
    private let folder: TemporaryFolder

    /// - Throws: `IndexFailure`.
    init(_ parts: [IndexedPodcast]) throws {
        do {
            folder = try TemporaryFolder()
            let update = try IndexUpdate(IndexFolder(path: folder.path, hasReaders: false), waitSeconds: 0)
            try update.add(
                parts.map { part in
                    let language = part.decidedLanguage
                    return BuildJob(
                        id: part.podcast.id, row: SegmentPodcast(language: language),
                        text: PodcastText(part.podcast, part.channel, language), episodes: part.episodes,
                        transcripts: part.transcripts)
                })
            try update.save()
            snapshot = update.snapshot
        } catch let error as StorageError {
            throw error.failure(in: nil)
        } catch is StorageDamage {
            throw IndexFailure.damaged
        }
    }
}

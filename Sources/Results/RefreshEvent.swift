public import Domain

/// An event that a refresh reports, in order. An outcome is reported once it is durable.
public indirect enum RefreshEvent: Sendable {
    /// The number of podcasts to be fetched.
    case planned(Int)
    case started(Podcast)
    /// The number of podcasts that are not due, if they are not reported one by one.
    case skipped(Int)
    /// The number of podcasts that other runs are fetching.
    case leased(Int)
    case finished(RefreshOutcome)
    /// The progress of fetching transcripts or chapters.
    case transcripts(EpisodeText, done: Int, total: Int)
    /// The library is fine, but the index could not be brought in line; the next run tries again.
    case indexFailed(any Error)
}

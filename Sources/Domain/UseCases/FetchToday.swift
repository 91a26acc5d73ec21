/// What is worth knowing first: what is new, what fails, what comes next.
public struct Today: Sendable {
    public var status: LibraryStatus
    /// What the last refresh saw first, newest first.
    public var new: [ListedEpisode]
}

public struct FetchToday: Sendable {
    let status: FetchStatus
    let episodes: FetchEpisodes

    public init(status: FetchStatus, episodes: FetchEpisodes) {
        self.status = status
        self.episodes = episodes
    }

    public func callAsFunction(now: Timestamp) async throws -> Today {
        var filter = FetchEpisodes.Filter()
        filter.onlyNew = true
        return Today(status: try await status(now: now), new: try await episodes(filter))
    }
}

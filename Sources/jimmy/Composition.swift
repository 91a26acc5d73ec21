import Domain
struct Composition: Sendable {
    init(library: String?, environment: Int = 0) {}
    var podcasts: any PodcastRepository { get throws { fatalError() } }
    var episodes: any EpisodeRepository { get throws { fatalError() } }
    func findPodcast() throws -> FindPodcast { FindPodcast(podcasts: try podcasts, episodes: try episodes) }
    func fetchPodcasts() throws -> FetchPodcasts { FetchPodcasts(podcasts: try podcasts) }
    func fetchEpisodes() throws -> FetchEpisodes { fatalError() }
    func subscribeToPodcast() throws -> SubscribeToPodcast { fatalError() }
    func unsubscribeFromPodcast() throws -> UnsubscribeFromPodcast { fatalError() }
    func refreshEpisodes(perHost: Int) throws -> RefreshEpisodes { fatalError() }
    func manageQueue() throws -> ManageQueue { fatalError() }
    func directory(at: String?) throws -> any PodcastDirectory { fatalError() }
    func fetchStatus() throws -> FetchStatus { fatalError() }
    var librarySize: Int? { nil }
    var indexSize: Int? { nil }
}

/// A directory of the world's podcasts, such as Apple's search API.
public protocol PodcastDirectory: Sendable {
    /// Best first; entries without an http(s) feed URL are left out.
    func search(_ term: String, country: String?, limit: Int) async throws -> [DirectoryEntry]
    /// The podcast behind a page of the directory, such as an Apple Podcasts link; nil where the URL is no such page.
    func lookUp(page url: String) async throws -> DirectoryEntry?
}

public struct DirectoryEntry: Hashable, Sendable {
    public var title: String
    public var author: String?
    public var feedURL: String
    public var episodes: Int?
    public var imageURL: String?
    public var link: String?

    public init(
        title: String, author: String? = nil, feedURL: String, episodes: Int? = nil, imageURL: String? = nil,
        link: String? = nil
    ) {
        self.title = title
        self.author = author
        self.feedURL = feedURL
        self.episodes = episodes
        self.imageURL = imageURL
        self.link = link
    }
}

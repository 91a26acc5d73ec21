/// A directory of the world's podcasts, such as Apple's search API.
public protocol PodcastDirectory: Sendable {
    var name: DirectoryName { get }
    /// Best first; entries without an http(s) feed URL are left out.
    func search(_ term: String, country: String?, limit: Int) async throws -> [DirectoryEntry]
    /// The podcast behind a page of the directory, such as an Apple Podcasts link; nil if the URL is no such page.
    func lookUp(page url: String) async throws -> DirectoryEntry?
}

/// `directory` of the command's JSON.
public enum DirectoryName: String, Sendable {
    case apple
    case podcastIndex = "podcastindex"
}

public struct DirectoryEntry: Equatable, Sendable {
    public var title: String
    public var author: String?
    public var feedURL: String
    public var episodes: Int?
    public var imageURL: String?
    public var link: String?
    /// `podcast:medium`, such as `music`, if the directory knows it.
    public var medium: String?
    public var directory: DirectoryName
    /// The podcast's id in the directory.
    public var directoryID: Int?

    public init(
        title: String, author: String? = nil, feedURL: String, episodes: Int? = nil, imageURL: String? = nil,
        link: String? = nil, medium: String? = nil, directory: DirectoryName, directoryID: Int? = nil
    ) {
        self.title = title
        self.author = author
        self.feedURL = feedURL
        self.episodes = episodes
        self.imageURL = imageURL
        self.link = link
        self.medium = medium
        self.directory = directory
        self.directoryID = directoryID
    }
}

/// Why a directory could not be searched, apart from failures of HTTP.
public enum DirectoryFailure: Error, Equatable, Sendable {
    /// The directory requires a key, and none is set.
    case noKey(DirectoryName)
    /// HTTP 401 or 403: the key, the secret or this machine's clock is wrong.
    case keyRefused(DirectoryName)
    /// This machine lacks the library that signs requests.
    case cannotSign
}

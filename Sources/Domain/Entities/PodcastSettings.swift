/// What the user set for one podcast; nil means the general setting.
public struct PodcastSettings: Equatable, Sendable {
    public var title: String?
    /// Folders of an OPML file, and the user's own words.
    public var tags: [String] = []
    public var userAgent: String?
    public var transcripts: Bool?
    public var chapters: Bool?
    /// Its new episodes are downloaded.
    public var download: Bool?
    /// Downloaded files that are kept; older ones go when they were played. nil for all.
    public var keep: Int?
    /// It is fetched only when it is named.
    public var isPaused = false
    /// Seconds for which it is left alone after each fetch, at least.
    public var shortestRest: Int64?
    /// Seconds after which it is asked again at the latest, unless its server or its feed wants a longer rest.
    public var longestRest: Int64?
    /// Seconds that a fetch may take.
    public var timeout: Double?
    /// Bytes of decoded body.
    public var maxBodySize: Int?

    public init() {}

    /// What holds for its fetches, where `general` holds for all.
    func limits(_ general: FetchLimits) -> FetchLimits {
        var limits = general
        limits.timeout = timeout ?? limits.timeout
        limits.maxBodySize = maxBodySize ?? limits.maxBodySize
        return limits
    }
}

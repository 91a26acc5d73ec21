/// The user's settings for one podcast; nil stands for the general setting.
public struct PodcastSettings: Equatable, Sendable {
    public var title: String?
    /// Folders of an OPML file, and the user's own words.
    public var tags: [String] = []
    public var userAgent: String?
    public var transcripts: Bool?
    public var chapters: Bool?
    /// Whether transcripts are made from its audio.
    public var transcribe: Bool?
    /// Whether new episodes are downloaded.
    public var download: Bool?
    /// The query that episodes must match to become new; nil for all.
    public var only: String?
    /// How many downloaded files to keep; older ones are deleted once played. nil for all.
    public var keep: Int?
    /// 1 is the recorded speed.
    public var speed: Double?
    /// Seconds at the beginning that are not played.
    public var skipIntro: Double?
    /// Seconds at the end that are not played.
    public var skipOutro: Double?
    /// True if the podcast is fetched only when named.
    public var isPaused = false
    /// Least number of seconds between two fetches.
    public var minInterval: Int64?
    /// Most seconds between two fetches, unless its server or feed asks for a longer interval.
    public var maxInterval: Int64?
    /// Most seconds that a fetch may take.
    public var timeout: Double?
    /// Most bytes of decoded body.
    public var maxBodySize: Int?

    public init() {}

    /// The settings without an edit; what was changed since stays.
    package func reverted(from after: PodcastSettings, to before: PodcastSettings) -> PodcastSettings {
        guard self != after else { return before }
        var settings = self
        func revert<Value: Equatable>(_ field: WritableKeyPath<PodcastSettings, Value>) {
            let isUnchanged = settings[keyPath: field] == after[keyPath: field]
            if isUnchanged { settings[keyPath: field] = before[keyPath: field] }
        }
        revert(\.title)
        revert(\.userAgent)
        revert(\.transcripts)
        revert(\.chapters)
        revert(\.transcribe)
        revert(\.download)
        revert(\.only)
        revert(\.keep)
        revert(\.speed)
        revert(\.skipIntro)
        revert(\.skipOutro)
        revert(\.isPaused)
        revert(\.minInterval)
        revert(\.maxInterval)
        revert(\.timeout)
        revert(\.maxBodySize)
        if settings.tags == after.tags {
            settings.tags = before.tags
        } else {
            let returning = before.tags.filter { !after.tags.contains($0) && !tags.contains($0) }
            settings.tags = tags.filter { before.tags.contains($0) || !after.tags.contains($0) } + returning
        }
        return settings
    }

    /// nil if the general setting decides.
    public func wants(_ text: EpisodeText) -> Bool? { text == .transcript ? transcripts : chapters }

    /// The limits for this podcast's fetches; `general` applies where none is set.
    package func limits(_ general: FetchLimits) -> FetchLimits {
        var limits = general
        limits.timeout = timeout ?? limits.timeout
        limits.maxBodySize = maxBodySize ?? limits.maxBodySize
        return limits
    }
}

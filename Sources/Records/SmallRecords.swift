public import Addresses
public import Domain
public import JSON

extension ReadableFields {
    /// The fields as members of the object that is being written.
    public func write(to json: inout JSONWriter) { visit(&json) }

    /// Reads an object.
    public init(from json: inout JSONReader) throws { self = try json.value() }

    /// Reads the value of `key`, or skips it.
    public mutating func read(_ key: String, from json: inout JSONReader) throws { try json.member { list(&$0) } }
}

extension EpisodeID {
    /// The id of no episode, which stands until an id was read.
    package static let unknown = EpisodeID(podcast: PodcastID(text: ""), identity: "")
}

extension QueueEntry: ReadableFields {
    public init() { self.init(episodeID: .unknown, addedAt: Timestamp(seconds: 0)) }

    public var isWhole: Bool { episodeID != .unknown }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("episode", &episodeID)
        list.time("addedAt", &addedAt)
    }
}

extension HostState: ReadableFields {
    public init() { self.init(pausedUntil: nil) }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.time("pausedUntil", &pausedUntil)
        list.number("allowance", &allowance)
        list.time("measuredAt", &measuredAt)
    }
}

extension DownloadedFile: ReadableFields {
    public init() { self.init(path: "", bytes: 0, modifiedAt: Timestamp(seconds: 0)) }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("path", &path)
        list.integer("bytes", &bytes)
        list.time("modifiedAt", &modifiedAt)
    }
}

/// Everything except the episode's id.
extension DownloadEntry: ReadableFields {
    public init() { self.init(.unknown) }

    public mutating func list<L: FieldList>(_ list: inout L) {
        if file != nil || L.reads {
            var file = file ?? DownloadedFile()
            file.list(&list)
            if L.reads, file != DownloadedFile() { self.file = file }
        }
        list.integer("failures", &failures)
        list.time("retryAt", &retryAt)
        list.flag("dropped", &isDropped)
    }

    /// - Parameter episode: the episode; nil if the object contains its id.
    public init(of episode: EpisodeID?, from json: inout JSONReader) throws {
        self.init(episode ?? .unknown)
        try json.object { json, key in
            if key == "episode" { episodeID = EpisodeID(text: try json.string()) ?? .unknown } else { try read(key, from: &json) }
        }
        guard episodeID != .unknown else { throw json.error(.unexpected) }
    }
}

extension RefreshTimes: ReadableFields {
    public mutating func list<L: FieldList>(_ list: inout L) {
        list.time("lastRefreshAt", &startedAt)
        list.time("lastRefreshEndedAt", &endedAt)
        list.object("counters", &counters)
    }
}

extension RunCounters: ReadableFields {
    public mutating func list<L: FieldList>(_ list: inout L) {
        list.integer("refreshes", always: &refreshes)
        list.integers("fetches", byKey: &fetches)
        list.integer("added", always: &added)
        list.integer("bytes", always: &bytes)
        list.integer("milliseconds", always: &milliseconds)
        var nanoseconds = Dictionary(uniqueKeysWithValues: RunStage.allCases.map { ($0, stages[$0]) })
        list.integers("nanoseconds", byKey: &nanoseconds)
        if L.reads { for (stage, number) in nanoseconds { stages[stage] = number } }
    }
}

extension Credentials: ReadableFields {
    public init() { self.init(user: "", password: "") }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("user", &user)
        list.text("password", &password)
    }
}

extension TagLine: ReadableFields {
    public init() { self.init(tags: [], feedURL: "", key: "") }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("feedURL", &feedURL)
        list.text("key", &key)
        list.texts("tags", &tags)
        list.texts("facts", &facts, as: \.words) { LineFacts($0) }
    }
}

extension Bookmark: ReadableFields {
    public init() { self.init(episodeID: .unknown, seconds: 0, note: "", at: Timestamp(seconds: 0)) }

    public var isWhole: Bool { episodeID != .unknown }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("episode", &episodeID)
        list.integer("seconds", &seconds)
        list.text("note", &note)
        list.time("at", &at)
    }
}

extension PlayPosition: ReadableFields {
    public init() { self.init(episodeID: .unknown, seconds: 0, at: Timestamp(seconds: 0)) }

    public var isWhole: Bool { episodeID != .unknown }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("episode", &episodeID)
        list.number("seconds", &seconds)
        list.number("duration", &duration)
        list.time("at", &at)
        list.number("speed", &speed)
        list.time("playedAt", &playedAt)
        list.objects("heard", &heard)
    }
}

extension HeardSpan: ReadableFields {
    public init() { self.init(at: Timestamp(seconds: 0), seconds: 0) }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.time("at", &at)
        list.number("seconds", &seconds)
    }
}

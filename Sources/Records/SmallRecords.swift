public import Domain
public import JSON

extension QueueEntry {
    public func write(to json: inout JSONWriter) {
        json.text("episode", episodeID.text)
        json.time("addedAt", addedAt)
    }

    public init(from json: inout JSONReader) throws {
        var id: EpisodeID?
        var addedAt = Timestamp(seconds: 0)
        try json.object { json, key in
            switch key {
            case "episode": id = EpisodeID(text: try json.string())
            case "addedAt": addedAt = try json.time()
            default: try json.skip()
            }
        }
        guard let id else { throw json.error(.unexpected) }
        self.init(episodeID: id, addedAt: addedAt)
    }
}

extension DownloadEntry {
    /// Writes everything except the episode's id.
    public func write(to json: inout JSONWriter) {
        json.text("path", file?.path)
        json.integer("bytes", file?.bytes)
        json.time("modifiedAt", file?.modifiedAt)
        json.integer("failures", failures == 0 ? nil : failures)
        json.time("retryAt", retryAt)
        json.flag("dropped", isDropped ? true : nil)
    }

    /// - Parameter episode: the episode; nil if the object contains its id.
    public init(of episode: EpisodeID?, from json: inout JSONReader) throws {
        var (id, path, bytes, modifiedAt) = (episode, String?.none, 0, Timestamp(seconds: 0))
        var (failures, retryAt, isDropped) = (0, Timestamp?.none, false)
        try json.object { json, key in
            switch key {
            case "episode": id = EpisodeID(text: try json.string())
            case "path": path = try json.string()
            case "bytes": bytes = try json.integer()
            case "modifiedAt": modifiedAt = try json.time()
            case "failures": failures = try json.integer()
            case "retryAt": retryAt = try json.time()
            case "dropped": isDropped = try json.bool()
            default: try json.skip()
            }
        }
        guard let id else { throw json.error(.unexpected) }
        self.init(id)
        file = path.map { DownloadedFile(path: $0, bytes: bytes, modifiedAt: modifiedAt) }
        (self.failures, self.retryAt, self.isDropped) = (failures, retryAt, isDropped)
    }
}

extension RefreshTimes {
    public func write(to json: inout JSONWriter) {
        json.time("lastRefreshAt", startedAt)
        json.time("lastRefreshEndedAt", endedAt)
        json.key("counters")
        json.value(counters)
    }

    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "lastRefreshAt": startedAt = try json.time()
        case "lastRefreshEndedAt": endedAt = try json.time()
        case "counters": counters = try json.counters()
        default: try json.skip()
        }
    }
}

extension Credentials {
    public func write(to json: inout JSONWriter) {
        json.text("user", user)
        json.text("password", password)
    }

    public init(from json: inout JSONReader) throws {
        self.init(user: "", password: "")
        try json.object { json, key in
            switch key {
            case "user": user = try json.string()
            case "password": password = try json.string()
            default: try json.skip()
            }
        }
    }
}

extension TagLine {
    public func write(to json: inout JSONWriter) {
        json.text("feedURL", feedURL)
        json.text("key", key)
        json.texts("tags", tags.sorted().map(\.text))
    }

    public init(from json: inout JSONReader) throws {
        self.init(tags: [], feedURL: "", key: "")
        try json.object { json, key in
            switch key {
            case "feedURL": feedURL = try json.string()
            case "key": self.key = try json.string()
            case "tags": tags = Set(try json.strings().compactMap { Tag($0) })
            default: try json.skip()
            }
        }
    }
}

extension PlayPosition {
    public func write(to json: inout JSONWriter) {
        json.text("episode", episodeID.text)
        json.number("seconds", seconds)
        json.number("duration", duration)
        json.time("at", at)
        json.time("playedAt", playedAt)
        guard !heard.isEmpty else { return }
        json.array("heard") { json in
            for span in heard {
                json.object { json in
                    json.time("at", span.at)
                    json.number("seconds", span.seconds)
                }
            }
        }
    }

    public init(from json: inout JSONReader) throws {
        var id: EpisodeID?
        var position = (seconds: 0.0, duration: Double?.none, at: Timestamp(seconds: 0))
        var (playedAt, heard) = (Timestamp?.none, [HeardSpan]())
        try json.object { json, key in
            switch key {
            case "episode": id = EpisodeID(text: try json.string())
            case "seconds": position.seconds = try json.number()
            case "duration": position.duration = try json.number()
            case "at": position.at = try json.time()
            case "playedAt": playedAt = try json.time()
            case "heard": heard = try json.list { try Self.span(&$0) }
            default: try json.skip()
            }
        }
        guard let id else { throw json.error(.unexpected) }
        self.init(episodeID: id, seconds: position.seconds, duration: position.duration, at: position.at)
        (self.playedAt, self.heard) = (playedAt, heard)
    }

    private static func span(_ json: inout JSONReader) throws -> HeardSpan {
        var span = HeardSpan(at: Timestamp(seconds: 0), seconds: 0)
        try json.object { json, key in
            switch key {
            case "at": span.at = try json.time()
            case "seconds": span.seconds = try json.number()
            default: try json.skip()
            }
        }
        return span
    }
}

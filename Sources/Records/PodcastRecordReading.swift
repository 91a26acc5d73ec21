public import Domain
public import JSON

/// The inverse of `PodcastRecord.write`.
extension Podcast {
    /// Sets one member of a log line. `hasSecret` is handled by the caller, because credentials are in another file.
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "feedURL": feedURL = try json.string()
        case "subscribedAt": subscribedAt = try json.time()
        case "settings": settings = try json.orNull { try $0.settings() } ?? PodcastSettings()
        case "title": title = try json.orNull { try $0.string() }
        case "author": author = try json.orNull { try $0.string() }
        case "episodes": episodeCount = try json.orNull { try $0.integer() } ?? 0
        case "latestEpisodeAt": latestEpisodeAt = try json.orNull { try $0.time() }
        case "lastAddedAt": lastAddedAt = try json.orNull { try $0.time() }
        case "recordRevision": revision = try json.orNull { try $0.integer() } ?? 0
        case "contentRevision": contentRevision = try json.orNull { try $0.integer() } ?? 0
        case "revision": episodesRevision = try json.orNull { try $0.integer() } ?? 0
        case "transcripts": transcripts = try json.orNull { try $0.transcriptState() } ?? TranscriptState()
        case "archive": archive = try json.orNull { try $0.archiveState() }
        default:
            try fetch.read(key, from: &json)
            // The two URLs are mostly equal and then share one string.
            let url = feedURL
            if key == "validators", fetch.validators?.url == url { fetch.validators?.url = url }
        }
    }
}

extension FetchState {
    fileprivate mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "answer": try readAnswer(&json)
        case "lastAttemptAt": lastAttemptAt = try json.orNull { try $0.time() }
        case "lastSuccessAt": lastSuccessAt = try json.orNull { try $0.time() }
        case "nextDueAt": nextDueAt = try json.orNull { try $0.time() }
        case "dueRule": dueRule = try json.orNull { DueRule(rawValue: try $0.string()) } ?? nil
        case "hubUntil": hubUntil = try json.orNull { try $0.time() }
        case "notModifiedInARow": notModifiedInARow = try json.orNull { try $0.integer() } ?? 0
        case "validators": validators = try json.orNull { try $0.validators() }
        case "bodyHash": bodyHash = try json.orNull { try $0.hash() }
        case "contentDigest": contentDigest = try json.orNull { ContentDigest(value: try $0.hash()) }
        case "retryAfter": retryAfter = try json.orNull { try $0.time() }
        case "isGone": isGone = try json.orNull { try $0.bool() } ?? false
        case "isRestoring": isRestoring = try json.orNull { try $0.bool() } ?? false
        case "failure": failure = try json.orNull { try $0.failure() }
        case "liesAboutNotModified": liesAboutNotModified = try json.orNull { try $0.bool() } ?? false
        case "answers": answers = try json.orNull { try $0.list { try $0.answer().answer } } ?? []
        case "moves": moves = try json.orNull { try $0.list { try $0.move() } } ?? []
        case "cadence": cadence = try json.orNull { try $0.cadence() } ?? Cadence()
        default: try json.skip()
        }
    }

    private mutating func readAnswer(_ json: inout JSONReader) throws {
        let (answer, count) = try json.answer()
        answers.insert(answer, at: 0)
        answers.removeLast(max(0, answers.count - count))
    }
}

extension JSONReader {
    fileprivate mutating func orNull<Value>(_ read: (inout JSONReader) throws -> Value) throws -> Value? {
        try null() ? nil : try read(&self)
    }

    fileprivate mutating func settings() throws -> PodcastSettings {
        var settings = PodcastSettings()
        try object { json, key in
            switch key {
            case "title": settings.title = try json.string()
            case "tags": settings.tags = try json.strings()
            case "userAgent": settings.userAgent = try json.string()
            case "transcripts": settings.transcripts = try json.bool()
            case "chapters": settings.chapters = try json.bool()
            case "download": settings.download = try json.bool()
            case "keep": settings.keep = try json.integer()
            case "speed": settings.speed = try json.number()
            case "skipIntro": settings.skipIntro = try json.number()
            case "skipOutro": settings.skipOutro = try json.number()
            case "only": settings.only = try json.string()
            case "paused": settings.isPaused = try json.bool()
            case "minInterval": settings.minInterval = Int64(try json.integer())
            case "maxInterval": settings.maxInterval = Int64(try json.integer())
            case "timeout": settings.timeout = try json.number()
            case "maxSize": settings.maxBodySize = try json.integer()
            default: try json.skip()
            }
        }
        return settings
    }

    fileprivate mutating func archiveState() throws -> ArchiveState {
        var state = ArchiveState()
        try object { json, key in
            switch key {
            case "next": state.next = try json.string()
            case "pages": state.pages = try json.integer()
            default: try json.skip()
            }
        }
        return state
    }

    fileprivate mutating func transcriptState() throws -> TranscriptState {
        var state = TranscriptState()
        try object { json, key in
            switch key {
            case "revision": state.revision = try json.integer()
            case "written": state.written = try json.integer()
            case "seen": state.seen = try json.integer()
            case "dueAt": state.dueAt = try json.time()
            case "chaptersSeen": state.chaptersSeen = try json.integer()
            case "chaptersDueAt": state.chaptersDueAt = try json.time()
            default: try json.skip()
            }
        }
        return state
    }

    mutating func validators() throws -> Validators {
        var validators = Validators(url: "")
        try object { json, key in
            switch key {
            case "url": validators.url = try json.string()
            case "etag": validators.etag = try json.string()
            case "lastModified": validators.lastModified = try json.string()
            default: try json.skip()
            }
        }
        return validators
    }

    mutating func failure() throws -> FetchFailureState {
        var failure = FetchFailureState(since: Timestamp(seconds: 0), count: 0, code: .storage)
        try object { json, key in
            switch key {
            case "since": failure.since = try json.time()
            case "count": failure.count = try json.integer()
            case "code": failure.code = FetchFailure.Code(rawValue: try json.string()) ?? .protocol
            case "status": failure.status = try json.integer()
            case "detail": failure.detail = FetchFailure.Detail(fact: try json.string())
            default: try json.skip()
            }
        }
        return failure
    }

    /// An answer, and the number of answers including it, if the line contains that.
    fileprivate mutating func answer() throws -> (answer: FetchAnswer, count: Int) {
        var answer = FetchAnswer(at: Timestamp(seconds: 0), status: nil, outcome: "", milliseconds: 0)
        var count = 0
        try object { json, key in
            switch key {
            case "at": answer.at = try json.time()
            case "status": answer.status = try json.integer()
            case "outcome": answer.outcome = try json.string()
            case "milliseconds": answer.milliseconds = try json.integer()
            case "of": count = try json.integer()
            default: try json.skip()
            }
        }
        return (answer, count)
    }

    fileprivate mutating func move() throws -> FeedMove {
        var move = FeedMove(at: Timestamp(seconds: 0), from: "", reason: .edited)
        try object { json, key in
            switch key {
            case "at": move.at = try json.time()
            case "from": move.from = try json.string()
            case "reason": move.reason = FeedMove.Reason(rawValue: try json.string()) ?? .edited
            default: try json.skip()
            }
        }
        return move
    }

    fileprivate mutating func cadence() throws -> Cadence {
        var cadence = Cadence()
        try object { json, key in
            switch key {
            // As written before 52 dates were.
            case "recent": cadence.recent = try json.list { try $0.time() }
            case "dates": cadence.recent = CompactDates.dates(try json.string())
            case "floor": cadence.floor = Int64(try json.integer())
            case "skipHours": cadence.skipHours = try json.integers()
            case "skipDays": cadence.skipDays = try json.integers()
            default: try json.skip()
            }
        }
        return cadence
    }
}

public import Domain

extension PodcastSettings: ReadableFields {
    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("title", &title)
        list.texts("tags", &tags)
        list.text("userAgent", &userAgent)
        list.flag("transcripts", &transcripts)
        list.flag("chapters", &chapters)
        list.flag("transcribe", &transcribe)
        list.flag("download", &download)
        list.integer("keep", &keep)
        list.number("speed", &speed)
        list.number("skipIntro", &skipIntro)
        list.number("skipOutro", &skipOutro)
        list.text("only", &only)
        list.flag("paused", &isPaused)
        list.integer("minInterval", &minInterval)
        list.integer("maxInterval", &maxInterval)
        list.number("timeout", &timeout)
        list.integer("maxSize", &maxBodySize)
    }
}

extension TranscriptState: ReadableFields {
    public mutating func list<L: FieldList>(_ list: inout L) {
        list.integer("revision", &revision)
        list.integer("written", &written)
        list.integer("seen", &seen)
        list.time("dueAt", &dueAt)
        list.integer("chaptersSeen", &chaptersSeen)
        list.time("chaptersDueAt", &chaptersDueAt)
    }
}

extension ArchiveState: ReadableFields {
    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("next", &next)
        list.integer("pages", &pages)
    }
}

extension Validators: ReadableFields {
    public init() { self.init(url: "") }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("url", &url)
        list.text("etag", &etag)
        list.text("lastModified", &lastModified)
    }
}

extension FetchFailureState: ReadableFields {
    /// An unknown code counts as a protocol error.
    public init() { self.init(since: Timestamp(seconds: 0), count: 0, code: .protocol) }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.time("since", &since)
        list.integer("count", &count)
        list.text("code", &code)
        list.integer("status", &status)
        list.text("detail", &detail, as: { $0?.fact }) { .some(FetchFailure.Detail(fact: $0)) }
    }
}

extension FetchAnswer: ReadableFields {
    public init() { self.init(at: Timestamp(seconds: 0), status: nil, outcome: "", milliseconds: 0) }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.time("at", &at)
        list.integer("status", &status)
        list.text("outcome", &outcome)
        list.integer("milliseconds", &milliseconds)
    }
}

extension FeedMove: ReadableFields {
    public init() { self.init(at: Timestamp(seconds: 0), from: "", reason: .edited) }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.time("at", &at)
        list.text("from", &from)
        list.text("reason", &reason)
    }
}

extension Cadence: ReadableFields {
    public mutating func list<L: FieldList>(_ list: inout L) {
        var learned = LearnedRhythm(self)
        list.text("learned", &learned, as: \.text, LearnedRhythm.init(text:))
        if L.reads { learned.set(&self) }
        list.integer("floor", &floor)
        list.integers("skipHours", &skipHours)
        list.integers("skipDays", &skipDays)
    }
}

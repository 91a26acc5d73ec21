public import Domain

extension TranscriptSource: ReadableFields {
    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("url", &url)
        list.text("type", &type)
        list.text("language", &language)
        list.time("at", &at)
        list.integer("segments", &segments)
        list.integer("revision", &revision)
        list.hash("bodyHash", &bodyHash)
        list.object("validators", &validators)
        list.object("made", &making)
    }
}

extension TranscriptMaking: ReadableFields {
    public init() { self.init(program: "", audio: AudioFacts(bytes: 0, hash: 0)) }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("by", &program)
        list.number("speed", &speed)
        list.integer("audioBytes", &audio.bytes)
        list.hash("audioHash", &audio.hash)
        list.integer("enclosureLength", &enclosureLength)
        list.integer("missing", &missingPieces)
    }
}

extension TranscriptEntry: ReadableFields {
    public init() {
        let never = Timestamp(seconds: 0)
        self.init(episodeID: .unknown, offer: 0, episodeChangedAt: never, askedAt: never)
    }

    public var isWhole: Bool { episodeID != .unknown }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("episode", &episodeID)
        list.hash("offer", &offer)
        list.time("episodeChangedAt", &episodeChangedAt)
        list.time("askedAt", &askedAt)
        list.object("kept", &stored)
        list.object("failure", &failure)
        list.time("retryAt", &retryAt)
        list.object("attempts", &attempts)
    }
}

extension TranscriptionAttempts: ReadableFields {
    public init() { self.init(failures: 0) }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.integer("failures", &failures)
        list.time("retryAt", &retryAt)
    }
}

extension TranscriptSegment: ReadableFields {
    public init() { self.init(start: nil, text: "") }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.number("start", &start)
        list.text("speaker", &speaker)
        list.text("text", &text)
        list.flag("ad", &isAd)
    }
}

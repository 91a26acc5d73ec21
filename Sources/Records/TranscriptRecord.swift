public import Domain
public import JSON

extension TranscriptSource {
    public func write(to json: inout JSONWriter) {
        json.text("url", url)
        json.text("type", type)
        json.text("language", language)
        json.time("at", at)
        json.integer("segments", segments)
        json.integer("revision", revision)
        json.hash("bodyHash", bodyHash)
        json.object("validators", validators)
        if let making { json.object("made") { making.write(to: &$0) } }
    }

    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "url": url = try json.string()
        case "type": type = try json.string()
        case "language": language = try json.string()
        case "at": at = try json.time()
        case "segments": segments = try json.integer()
        case "revision": revision = try json.integer()
        case "bodyHash": bodyHash = try json.hash()
        case "validators": validators = try json.value()
        case "made": making = try TranscriptMaking(from: &json)
        default: try json.skip()
        }
    }
}

extension TranscriptMaking {
    func write(to json: inout JSONWriter) {
        json.text("by", program)
        json.number("speed", speed)
        json.integer("audioBytes", audio.bytes)
        json.hash("audioHash", audio.hash)
        json.integer("enclosureLength", enclosureLength)
        if missingPieces > 0 { json.integer("missing", missingPieces) }
    }

    init(from json: inout JSONReader) throws {
        self.init(program: "", audio: AudioFacts(bytes: 0, hash: 0))
        try json.object { json, key in
            switch key {
            case "by": program = try json.string()
            case "speed": speed = try json.number()
            case "audioBytes": audio.bytes = try json.integer()
            case "audioHash": audio.hash = try json.hash()
            case "enclosureLength": enclosureLength = try json.integer()
            case "missing": missingPieces = try json.integer()
            default: try json.skip()
            }
        }
    }
}

extension TranscriptEntry {
    public func write(to json: inout JSONWriter) {
        json.text("episode", episodeID.text)
        json.hash("offer", offer)
        json.time("episodeChangedAt", episodeChangedAt)
        json.time("askedAt", askedAt)
        if let stored { json.object("kept") { stored.write(to: &$0) } }
        json.object("failure", failure)
        json.time("retryAt", retryAt)
    }

    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "offer": offer = try json.hash()
        case "episodeChangedAt": episodeChangedAt = try json.time()
        case "askedAt": askedAt = try json.time()
        case "kept":
            var source = TranscriptSource()
            try json.object { json, key in try source.read(key, from: &json) }
            stored = source
        case "failure": failure = try json.value()
        case "retryAt": retryAt = try json.time()
        default: try json.skip()
        }
    }
}

extension TranscriptSegment {
    public func write(to json: inout JSONWriter) {
        json.number("start", start)
        json.text("speaker", speaker)
        json.text("text", text)
    }

    public init(from json: inout JSONReader) throws {
        self.init(start: nil, text: "")
        try json.object { json, key in
            switch key {
            case "start": start = try json.number()
            case "speaker": speaker = try json.string()
            case "text": text = try json.string()
            default: try json.skip()
            }
        }
    }
}

public import Domain

// The inverse of each `visit`: reads back the fields that it names.

extension Item: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "guid": guid = try json.string()
        case "guidIsPermaLink": guidIsPermaLink = try json.bool()
        case "title": title = try json.string()
        case "itunesTitle": itunesTitle = try json.string()
        case "subtitle": subtitle = try json.string()
        case "summary": summary = try json.string()
        case "description": description = try json.string()
        case "content": content = try json.string()
        case "link": link = try json.string()
        case "publishedAt": publishedAt = try json.time()
        case "updatedAt": updatedAt = try json.time()
        case "author": author = try json.string()
        case "enclosures": enclosures = try json.values()
        case "duration": duration = try json.number()
        case "imageURL": imageURL = try json.string()
        case "explicit": explicit = try json.bool()
        case "block": block = try json.bool()
        case "season": season = try json.value()
        case "episode": episode = try json.value()
        case "type": type = try json.string()
        case "tags": tags = try json.strings()
        case "keywords": keywords = try json.strings()
        case "comments": extras.comments = try json.string()
        case "chapters": chapters = try json.value()
        case "inlineChapters": extras.inlineChapters = try json.values()
        case "transcripts": transcripts = try json.values()
        case "soundbites": extras.soundbites = try json.values()
        case "persons": persons = try json.values()
        case "location": extras.location = try json.value()
        case "license": extras.license = try json.value()
        case "value": extras.value = try json.values()
        case "txts": extras.txts = try json.values()
        case "funding": extras.funding = try json.values()
        case "alternateEnclosures": extras.alternateEnclosures = try json.values()
        case "socialInteracts": extras.socialInteracts = try json.values()
        case "chat": extras.chat = try json.value()
        case "images": extras.images = try json.values()
        case "contentLinks": extras.contentLinks = try json.values()
        case "source": extras.source = try json.value()
        case "live": extras.live = try json.value()
        case "same": try readRepeats(&json)
        default: try json.skip()
        }
    }

    /// The texts that are stored once, in another field.
    private mutating func readRepeats(_ json: inout JSONReader) throws {
        try json.object { json, key in
            let other = ItemTexts.Field(name: try json.string())
            if let field = ItemTexts.Field(name: key), let other { texts.copy(other, to: field) }
        }
    }
}

extension Enclosure: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "url": url = try json.string()
        case "type": type = try json.string()
        case "length": length = try json.integer()
        default: try json.skip()
        }
    }
}

extension Season: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "number": number = try json.number()
        case "name": name = try json.string()
        default: try json.skip()
        }
    }
}

extension EpisodeNumber: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "number": number = try json.number()
        case "display": display = try json.string()
        default: try json.skip()
        }
    }
}

extension ChaptersLink: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "url": url = try json.string()
        case "type": type = try json.string()
        default: try json.skip()
        }
    }
}

extension Chapter: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "start": start = try json.number()
        case "title": title = try json.string()
        case "link": link = try json.string()
        case "imageURL": imageURL = try json.string()
        default: try json.skip()
        }
    }
}

extension Transcript: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "url": url = try json.string()
        case "type": type = try json.string()
        case "language": language = try json.string()
        case "rel": rel = try json.string()
        default: try json.skip()
        }
    }
}

extension Soundbite: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "start": start = try json.number()
        case "duration": duration = try json.number()
        case "title": title = try json.string()
        default: try json.skip()
        }
    }
}

extension AlternateEnclosure: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "type": type = try json.string()
        case "length": length = try json.integer()
        case "bitrate": bitrate = try json.number()
        case "height": height = try json.integer()
        case "language": language = try json.string()
        case "title": title = try json.string()
        case "rel": rel = try json.string()
        case "codecs": codecs = try json.string()
        case "default": `default` = try json.bool()
        case "integrity": integrity = try json.value()
        case "sources": sources = try json.values()
        default: try json.skip()
        }
    }
}

extension Integrity: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "type": type = try json.string()
        case "value": value = try json.string()
        default: try json.skip()
        }
    }
}

extension MediaSource: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "uri": uri = try json.string()
        case "contentType": contentType = try json.string()
        default: try json.skip()
        }
    }
}

extension ContentLink: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "href": href = try json.string()
        case "text": text = try json.string()
        default: try json.skip()
        }
    }
}

extension Source: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "title": title = try json.string()
        case "url": url = try json.string()
        default: try json.skip()
        }
    }
}

extension Live: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "status": status = try json.string()
        case "start": start = try json.time()
        case "end": end = try json.time()
        default: try json.skip()
        }
    }
}

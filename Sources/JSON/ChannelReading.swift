public import Domain

// The inverse of each `visit`: reads back the fields that it names.

extension Channel: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws { try fields.read(key, from: &json) }
}

extension ChannelFields {
    fileprivate mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "title": title = try json.string()
        case "subtitle": subtitle = try json.string()
        case "description": description = try json.string()
        case "summary": summary = try json.string()
        case "link": link = try json.string()
        case "feedURL": feedURL = try json.string()
        case "newFeedURL": newFeedURL = try json.string()
        case "language": language = try json.string()
        case "author": author = try json.string()
        case "owner": owner = try json.value()
        case "copyright": copyright = try json.string()
        case "generator": generator = try json.string()
        case "imageURL": imageURL = try json.string()
        case "categories": categories = try json.paths()
        case "tags": tags = try json.strings()
        case "keywords": keywords = try json.strings()
        case "explicit": explicit = try json.bool()
        case "block": block = try json.bool()
        case "complete": complete = try json.bool()
        case "type": type = try json.string()
        case "publishedAt": publishedAt = try json.time()
        case "updatedAt": updatedAt = try json.time()
        case "schedule": schedule = try json.value()
        case "hubs": hubs = try json.strings()
        case "paging": paging = try json.value()
        case "guid": guid = try json.string()
        case "medium": medium = try json.string()
        case "locked": locked = try json.value()
        case "funding": funding = try json.values()
        case "persons": persons = try json.values()
        case "location": location = try json.value()
        case "license": license = try json.value()
        case "trailers": trailers = try json.values()
        case "value": value = try json.values()
        case "blocks": blocks = try json.values()
        case "podroll": podroll = try json.values()
        case "updateFrequency": updateFrequency = try json.value()
        case "txts": txts = try json.values()
        case "publisher": publisher = try json.value()
        case "socialInteracts": socialInteracts = try json.values()
        case "chat": chat = try json.value()
        case "images": images = try json.values()
        case "liveItems": liveItems = try json.values()
        default: try json.skip()
        }
    }
}

extension Owner: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "name": name = try json.string()
        case "email": email = try json.string()
        default: try json.skip()
        }
    }
}

extension PublishingSchedule: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "ttlMinutes": ttlMinutes = try json.integer()
        case "skipHours": skipHours = try json.integers()
        case "skipDays": skipDays = try json.strings()
        case "updatePeriod": updatePeriod = try json.string()
        case "updateFrequency": updateFrequency = try json.integer()
        default: try json.skip()
        }
    }
}

extension Paging: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "next": next = try json.string()
        case "prev": prev = try json.string()
        case "first": first = try json.string()
        case "last": last = try json.string()
        case "current": current = try json.string()
        case "prevArchive": prevArchive = try json.string()
        case "archive": archive = try json.bool()
        default: try json.skip()
        }
    }
}

extension Locked: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "value": value = try json.bool()
        case "owner": owner = try json.string()
        default: try json.skip()
        }
    }
}

extension Trailer: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "title": title = try json.string()
        case "url": url = try json.string()
        case "publishedAt": publishedAt = try json.time()
        case "length": length = try json.integer()
        case "type": type = try json.string()
        case "season": season = try json.integer()
        default: try json.skip()
        }
    }
}

extension Block: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "value": value = try json.bool()
        case "id": id = try json.string()
        default: try json.skip()
        }
    }
}

extension UpdateFrequency: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "text": text = try json.string()
        case "complete": complete = try json.bool()
        case "startAt": startAt = try json.time()
        case "rrule": rrule = try json.string()
        default: try json.skip()
        }
    }
}

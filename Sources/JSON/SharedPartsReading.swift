public import Domain

// The inverse of each `visit`: reads back the fields that it names.

extension Person: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "name": name = try json.string()
        case "role": role = try json.string()
        case "group": group = try json.string()
        case "imageURL": imageURL = try json.string()
        case "link": link = try json.string()
        default: try json.skip()
        }
    }
}

extension Funding: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "url": url = try json.string()
        case "text": text = try json.string()
        default: try json.skip()
        }
    }
}

extension Location: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "name": name = try json.string()
        case "geo": geo = try json.string()
        case "osm": osm = try json.string()
        default: try json.skip()
        }
    }
}

extension License: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "identifier": identifier = try json.string()
        case "url": url = try json.string()
        default: try json.skip()
        }
    }
}

extension Txt: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "value": value = try json.string()
        case "purpose": purpose = try json.string()
        default: try json.skip()
        }
    }
}

extension SocialInteract: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "protocol": `protocol` = try json.string()
        case "uri": uri = try json.string()
        case "accountId": accountId = try json.string()
        case "accountUrl": accountUrl = try json.string()
        case "priority": priority = try json.integer()
        default: try json.skip()
        }
    }
}

extension Chat: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "server": server = try json.string()
        case "protocol": `protocol` = try json.string()
        case "accountId": accountId = try json.string()
        case "space": space = try json.string()
        default: try json.skip()
        }
    }
}

extension Image: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "url": url = try json.string()
        case "width": width = try json.integer()
        default: try json.skip()
        }
    }
}

extension RemoteItem: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "feedGuid": feedGuid = try json.string()
        case "feedURL": feedURL = try json.string()
        case "itemGuid": itemGuid = try json.string()
        case "medium": medium = try json.string()
        case "title": title = try json.string()
        default: try json.skip()
        }
    }
}

extension ValueBlock: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "type": type = try json.string()
        case "method": method = try json.string()
        case "suggested": suggested = try json.string()
        case "recipients": recipients = try json.values()
        case "timeSplits": timeSplits = try json.values()
        default: try json.skip()
        }
    }
}

extension ValueRecipient: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "name": name = try json.string()
        case "type": type = try json.string()
        case "address": address = try json.string()
        case "split": split = try json.number()
        case "fee": fee = try json.bool()
        case "customKey": customKey = try json.string()
        case "customValue": customValue = try json.string()
        default: try json.skip()
        }
    }
}

extension ValueTimeSplit: JSONReadable {
    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "startTime": startTime = try json.number()
        case "duration": duration = try json.number()
        case "remoteStartTime": remoteStartTime = try json.number()
        case "remotePercentage": remotePercentage = try json.number()
        case "remoteItem": remoteItem = try json.value()
        case "recipients": recipients = try json.values()
        default: try json.skip()
        }
    }
}

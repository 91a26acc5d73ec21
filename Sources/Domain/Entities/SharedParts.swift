/// podcast:person.
public struct Person: ReadableFields, Equatable, Sendable {
    public var name: String?
    public var role: String?
    public var group: String?
    public var imageURL: String?
    public var link: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("name", &name)
        list.text("role", &role)
        list.text("group", &group)
        list.text("imageURL", &imageURL)
        list.text("link", &link)
    }
}

/// podcast:funding.
public struct Funding: ReadableFields, Equatable, Sendable {
    public var url: String?
    public var text: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("url", &url)
        list.text("text", &text)
    }
}

/// podcast:location.
public struct Location: ReadableFields, Equatable, Sendable {
    public var name: String?
    public var geo: String?
    public var osm: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("name", &name)
        list.text("geo", &geo)
        list.text("osm", &osm)
    }
}

/// podcast:license, creativeCommons:license.
public struct License: ReadableFields, Equatable, Sendable {
    public var identifier: String?
    public var url: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("identifier", &identifier)
        list.text("url", &url)
    }
}

/// podcast:txt.
public struct Txt: ReadableFields, Equatable, Sendable {
    public var value: String?
    public var purpose: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("value", &value)
        list.text("purpose", &purpose)
    }
}

/// podcast:socialInteract.
public struct SocialInteract: ReadableFields, Equatable, Sendable {
    public var `protocol`: String?
    public var uri: String?
    public var accountId: String?
    public var accountUrl: String?
    public var priority: Int?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("protocol", &`protocol`)
        list.text("uri", &uri)
        list.text("accountId", &accountId)
        list.text("accountUrl", &accountUrl)
        list.integer("priority", &priority)
    }
}

/// podcast:chat.
public struct Chat: ReadableFields, Equatable, Sendable {
    public var server: String?
    public var `protocol`: String?
    public var accountId: String?
    public var space: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("server", &server)
        list.text("protocol", &`protocol`)
        list.text("accountId", &accountId)
        list.text("space", &space)
    }
}

/// podcast:image and one candidate of podcast:images; width in pixels.
public struct Image: ReadableFields, Equatable, Sendable {
    public var url: String?
    public var width: Int?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("url", &url)
        list.integer("width", &width)
    }
}

/// podcast:remoteItem: another feed or one of its items.
public struct RemoteItem: ReadableFields, Equatable, Sendable {
    public var feedGuid: String?
    public var feedURL: String?
    public var itemGuid: String?
    public var medium: String?
    public var title: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("feedGuid", &feedGuid)
        list.text("feedURL", &feedURL)
        list.text("itemGuid", &itemGuid)
        list.text("medium", &medium)
        list.text("title", &title)
    }
}

/// podcast:value.
public struct ValueBlock: ReadableFields, Equatable, Sendable {
    public var type: String?
    public var method: String?
    public var suggested: String?
    public var recipients: [ValueRecipient] = []
    public var timeSplits: [ValueTimeSplit] = []

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("type", &type)
        list.text("method", &method)
        list.text("suggested", &suggested)
        list.objects("recipients", &recipients)
        list.objects("timeSplits", &timeSplits)
    }
}

/// podcast:valueRecipient.
public struct ValueRecipient: ReadableFields, Equatable, Sendable {
    public var name: String?
    public var type: String?
    public var address: String?
    public var split: Double?
    public var fee: Bool?
    public var customKey: String?
    public var customValue: String?

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("name", &name)
        list.text("type", &type)
        list.text("address", &address)
        list.number("split", &split)
        list.flag("fee", &fee)
        list.text("customKey", &customKey)
        list.text("customValue", &customValue)
    }
}

/// podcast:valueTimeSplit; times in seconds.
public struct ValueTimeSplit: ReadableFields, Equatable, Sendable {
    public var startTime: Double?
    public var duration: Double?
    public var remoteStartTime: Double?
    public var remotePercentage: Double?
    public var remoteItem: RemoteItem?
    public var recipients: [ValueRecipient] = []

    public init() {}

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.number("startTime", &startTime)
        list.number("duration", &duration)
        list.number("remoteStartTime", &remoteStartTime)
        list.number("remotePercentage", &remotePercentage)
        list.object("remoteItem", &remoteItem)
        list.objects("recipients", &recipients)
    }
}

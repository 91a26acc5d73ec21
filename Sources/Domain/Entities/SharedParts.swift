/// podcast:person.
public struct Person: Fields, Equatable, Sendable {
    public var name: String?
    public var role: String?
    public var group: String?
    public var imageURL: String?
    public var link: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("name", name)
        visitor.text("role", role)
        visitor.text("group", group)
        visitor.text("imageURL", imageURL)
        visitor.text("link", link)
    }
}

/// podcast:funding.
public struct Funding: Fields, Equatable, Sendable {
    public var url: String?
    public var text: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("url", url)
        visitor.text("text", text)
    }
}

/// podcast:location.
public struct Location: Fields, Equatable, Sendable {
    public var name: String?
    public var geo: String?
    public var osm: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("name", name)
        visitor.text("geo", geo)
        visitor.text("osm", osm)
    }
}

/// podcast:license, creativeCommons:license.
public struct License: Fields, Equatable, Sendable {
    public var identifier: String?
    public var url: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("identifier", identifier)
        visitor.text("url", url)
    }
}

/// podcast:txt.
public struct Txt: Fields, Equatable, Sendable {
    public var value: String?
    public var purpose: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("value", value)
        visitor.text("purpose", purpose)
    }
}

/// podcast:socialInteract.
public struct SocialInteract: Fields, Equatable, Sendable {
    public var `protocol`: String?
    public var uri: String?
    public var accountId: String?
    public var accountUrl: String?
    public var priority: Int?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("protocol", `protocol`)
        visitor.text("uri", uri)
        visitor.text("accountId", accountId)
        visitor.text("accountUrl", accountUrl)
        visitor.integer("priority", priority)
    }
}

/// podcast:chat.
public struct Chat: Fields, Equatable, Sendable {
    public var server: String?
    public var `protocol`: String?
    public var accountId: String?
    public var space: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("server", server)
        visitor.text("protocol", `protocol`)
        visitor.text("accountId", accountId)
        visitor.text("space", space)
    }
}

/// podcast:image and one candidate of podcast:images; width in pixels.
public struct Image: Fields, Equatable, Sendable {
    public var url: String?
    public var width: Int?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("url", url)
        visitor.integer("width", width)
    }
}

/// podcast:remoteItem: another feed or one of its items.
public struct RemoteItem: Fields, Equatable, Sendable {
    public var feedGuid: String?
    public var feedURL: String?
    public var itemGuid: String?
    public var medium: String?
    public var title: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("feedGuid", feedGuid)
        visitor.text("feedURL", feedURL)
        visitor.text("itemGuid", itemGuid)
        visitor.text("medium", medium)
        visitor.text("title", title)
    }
}

/// podcast:value.
public struct ValueBlock: Fields, Equatable, Sendable {
    public var type: String?
    public var method: String?
    public var suggested: String?
    public var recipients: [ValueRecipient] = []
    public var timeSplits: [ValueTimeSplit] = []

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("type", type)
        visitor.text("method", method)
        visitor.text("suggested", suggested)
        visitor.objects("recipients", recipients)
        visitor.objects("timeSplits", timeSplits)
    }
}

/// podcast:valueRecipient.
public struct ValueRecipient: Fields, Equatable, Sendable {
    public var name: String?
    public var type: String?
    public var address: String?
    public var split: Double?
    public var fee: Bool?
    public var customKey: String?
    public var customValue: String?

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("name", name)
        visitor.text("type", type)
        visitor.text("address", address)
        visitor.number("split", split)
        visitor.flag("fee", fee)
        visitor.text("customKey", customKey)
        visitor.text("customValue", customValue)
    }
}

/// podcast:valueTimeSplit; times in seconds.
public struct ValueTimeSplit: Fields, Equatable, Sendable {
    public var startTime: Double?
    public var duration: Double?
    public var remoteStartTime: Double?
    public var remotePercentage: Double?
    public var remoteItem: RemoteItem?
    public var recipients: [ValueRecipient] = []

    public init() {}

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.number("startTime", startTime)
        visitor.number("duration", duration)
        visitor.number("remoteStartTime", remoteStartTime)
        visitor.number("remotePercentage", remotePercentage)
        visitor.object("remoteItem", remoteItem)
        visitor.objects("recipients", recipients)
    }
}

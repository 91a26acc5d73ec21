internal import Domain

// Values that are one element's attributes and text.

extension Locked {
    init?(_ element: Element) {
        self.init()
        value = readFlag(element.text)
        owner = element["owner"]
        if self == Locked() { return nil }
    }
}

extension Block {
    init?(_ element: Element) {
        self.init()
        value = readFlag(element.text)
        id = element["id"]
        if value == nil { return nil }
    }
}

extension Location {
    init?(_ element: Element) {
        self.init()
        name = element.text.value
        geo = element["geo"]
        osm = element["osm"]
        if self == Location() { return nil }
    }
}

extension Chat {
    init?(_ element: Element) {
        self.init()
        server = element["server"]
        `protocol` = element["protocol"]
        accountId = element["accountId"]
        space = element["space"]
        if self == Chat() { return nil }
    }
}

extension Integrity {
    init?(_ element: Element) {
        self.init()
        type = element["type"]
        value = element["value"]
        if self == Integrity() { return nil }
    }
}

extension ValueRecipient {
    init(_ element: Element) {
        self.init()
        name = element["name"]
        type = element["type"]
        address = element["address"]
        split = readNumber(element.text("split"))
        fee = readFlag(element.text("fee"))
        customKey = element["customKey"]
        customValue = element["customValue"]
    }
}

/// Repairs attributes of handmade feeds: without quotes, values or ends, or repeated.
extension XMLRepair {
    /// Copies the attributes, repaired, up to the end of the tag; nil if the document ends first.
    mutating func readAttributes(from start: Int) throws -> (isEmpty: Bool, end: Int)? {
        var isEmpty = false
        var position = start
        var attributeNames: Set<ArraySlice<UInt8>> = []
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: ">") {
                return (isEmpty, position + 1)
            } else if byte == UInt8(ascii: "<") {
                warn(.markup, "a tag without its >")
                return (isEmpty, position)
            } else if byte == UInt8(ascii: "/") {
                position += 1
                isEmpty = position < bytes.count && bytes[position] == UInt8(ascii: ">")
            } else if Text.isBlank(byte) {
                keepLine(byte)
                position += 1
            } else if Self.startsName(byte), case let nameEnd = endOfName(position), nameEnd > position {
                let name = position..<nameEnd
                let mark = output.count
                output.append(UInt8(ascii: " "))
                output.append(contentsOf: bytes[name])
                output.append(contentsOf: "=\"".utf8)
                position = try copyValue(after: name.upperBound)
                output.append(UInt8(ascii: "\""))
                if attributeNames.count >= Self.maxAttributes || !attributeNames.insert(bytes[name]).inserted || !admit(name) {
                    warn(.attribute, "too many attributes, or one of them twice")
                    output.removeLast(output.count - mark)
                }
            } else {
                warn(.attribute, "something in a tag that is no attribute")
                position += 1
            }
        }
        return nil
    }

    /// Copies the value, which may lack quotes or an end, or be missing. Returns the position after it.
    mutating func copyValue(after nameEnd: Int) throws -> Int {
        var position = nameEnd
        while position < bytes.count, Text.isBlank(bytes[position]) { position += 1 }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
            warn(.attribute, "an attribute without a value")
            return nameEnd
        }
        position += 1
        while position < bytes.count, Text.isBlank(bytes[position]) { position += 1 }
        guard position < bytes.count else { return position }
        let quote = bytes[position]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            warn(.attribute, "an attribute without quotes")
            let start = position
            while position < bytes.count, !Text.isBlank(bytes[position]), bytes[position] != UInt8(ascii: ">") { position += 1 }
            if position > start + 1, bytes[position - 1] == UInt8(ascii: "/"), isFollowedByTag(position) { position -= 1 }
            try copyAttributeText(start..<position)
            return position
        }
        let start = position + 1
        var end = start
        var firstClose: Int?
        while end < bytes.count, bytes[end] != quote {
            if bytes[end] == UInt8(ascii: ">") { firstClose = firstClose ?? end }
            if bytes[end] == UInt8(ascii: "<"), let firstClose {
                // One tag ends and another starts, so the closing quote is missing.
                warn(.attribute, "an attribute without its closing quote")
                try copyAttributeText(start..<firstClose)
                return firstClose
            }
            end += 1
        }
        try copyAttributeText(start..<end)
        return min(end + 1, bytes.count)
    }

    /// True if the `>` is followed by the start of another element, as at the end of an empty element.
    private func isFollowedByTag(_ close: Int) -> Bool {
        let next = bytes[close...].dropFirst().drop(while: Text.isBlank).prefix(2)
        return next.first == UInt8(ascii: "<") && next.last != UInt8(ascii: "/")
    }

    mutating func copyAttributeText(_ range: Range<Int>) throws {
        var position = range.lowerBound
        while position < range.upperBound {
            switch bytes[position] {
            case UInt8(ascii: "&"): position = try copyReference(at: position, limit: range.upperBound, inAttribute: true)
            case UInt8(ascii: "<"):
                warn(.markup, "a stray <")
                output.append(contentsOf: "&#60;".utf8)
                position += 1
            case UInt8(ascii: "\""):
                output.append(contentsOf: "&#34;".utf8)
                position += 1
            default: position = copyCharacter(at: position)
            }
        }
    }
}

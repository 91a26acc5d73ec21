/// Tags, CDATA sections and the document type.
extension XMLRepair {
    mutating func readMarkup() throws {
        guard let next = peek(1) else {
            index += 1
            return
        }
        switch next {
        case UInt8(ascii: "!"):
            if starts("<![CDATA[") {
                readCData()
            } else if starts("<!--") {
                skip(past: "-->")
            } else if starts("<!DOCTYPE", ignoringCase: true), !rootSeen {
                readDoctype()
            } else {
                warn(.markup, "a declaration inside the document")
                skip(past: ">")
            }
        case UInt8(ascii: "?"):
            if rootSeen, starts("<?xml ") { warn(.markup, "an XML declaration inside the document") }
            skip(past: "?>")
        case UInt8(ascii: "/"): readEndTag()
        case let letter where Self.startsName(letter) && endOfName(index + 1) > index + 1: try readStartTag()
        default:
            warn(.markup, "a stray <")
            if rootSeen { output.append(contentsOf: "&#60;".utf8) }
            index += 1
        }
    }

    mutating func readCData() {
        let start = index + 9
        var end = find("]]>", from: start)
        guard rootSeen else {
            skip(to: end.map { $0 + 3 } ?? bytes.count)
            return
        }
        var next = end.map { $0 + 3 } ?? bytes.count
        let following = find("<![CDATA[", from: start) ?? bytes.count
        if end == nil || following < end ?? bytes.count {
            let elementEnd = open.last.flatMap { find("</" + String(decoding: bytes[$0], as: UTF8.self), from: start) }
            if end == nil || elementEnd ?? bytes.count < following {
                // The section's own end is missing, so it ends with its element.
                warn(.markup, "a CDATA section without its end")
                end = elementEnd
                next = elementEnd ?? bytes.count
            }
        }
        output.append(contentsOf: "<![CDATA[".utf8)
        copyCharacters(start..<(end ?? bytes.count))
        output.append(contentsOf: "]]>".utf8)
        index = next
    }

    mutating func readEndTag() {
        let nameStart = index + 2
        let nameEnd = endOfName(nameStart)
        var end = nameEnd
        while end < bytes.count, bytes[end] != UInt8(ascii: ">"), bytes[end] != UInt8(ascii: "<") { end += 1 }
        guard end < bytes.count else {
            // Cut off inside the tag.
            index = bytes.count
            return
        }
        if let match = open.lastIndex(where: { bytes[$0] == bytes[nameStart..<nameEnd] }) {
            if match < open.count - 1 { warn(.markup, "<\(name(open.last))> without its end") }
            while open.count > match { closeLast() }
            if open.isEmpty { rootClosed = true }
        } else {
            warn(.markup, "</\(name(nameStart..<nameEnd))> without its start")
        }
        skip(to: bytes[end] == UInt8(ascii: ">") ? end + 1 : end)
    }

    mutating func readStartTag() throws {
        let name = (index + 1)..<endOfName(index + 1)
        let local = bytes[name].split(separator: UInt8(ascii: ":")).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
        if local == "item" || local == "entry", let earlier = open.lastIndex(where: { bytes[$0] == bytes[name] }) {
            warn(.markup, "<\(local)> starts inside another one")
            while open.count > earlier { closeLast() }
        }
        if let leaf = open.last, ItemFields.closes(String(decoding: bytes[name], as: UTF8.self), self.name(leaf)) {
            warn(.markup, "<\(self.name(leaf))> without its end")
            closeLast()
        }
        let mark = output.count
        output.append(UInt8(ascii: "<"))
        output.append(contentsOf: bytes[name])
        guard let tag = try readAttributes(from: name.upperBound) else {
            warn(.truncated, "the document ends inside a tag")
            output.removeLast(output.count - mark)
            index = bytes.count
            return
        }
        rootSeen = true
        index = tag.end
        let isVoid = tag.isEmpty || Self.isVoid(local)
        if (open.count >= Self.maxDepth && !isVoid) || !admit(name) {
            warn(.depth, "tags nested too deep, or too many names")
            output.removeLast(output.count - mark)
            return
        }
        output.append(contentsOf: isVoid ? "/>".utf8 : ">".utf8)
        if !isVoid {
            open.append(name)
        } else if open.isEmpty {
            rootClosed = true
        }
    }

    /// Counts the distinct names, and returns false if there are too many.
    mutating func admit(_ name: Range<Int>) -> Bool {
        names.contains(bytes[name]) || (names.count < Self.maxNames && names.insert(bytes[name]).inserted)
    }

    mutating func closeLast() {
        guard let name = open.popLast() else { return }
        output.append(contentsOf: "</".utf8)
        output.append(contentsOf: bytes[name])
        output.append(UInt8(ascii: ">"))
    }

    /// Reads the entities declared in the document itself. Nothing external is ever loaded.
    mutating func readDoctype() {
        var position = index + 9
        var quote: UInt8?
        var brackets = 0
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "[") {
                brackets += 1
            } else if byte == UInt8(ascii: "]") {
                brackets -= 1
            } else if byte == UInt8(ascii: ">"), brackets <= 0 {
                break
            } else if byte == UInt8(ascii: "<"), bytes[position...].starts(with: Array("<!--".utf8)) {
                position = find("-->", from: position + 4).map { $0 + 2 } ?? bytes.count
            } else if byte == UInt8(ascii: "<"), position + 1 < bytes.count, Self.startsName(bytes[position + 1]) {
                warn(.markup, "a document type without its end")
                entities.declare(bytes[start..<position])
                return skip(to: position)
            }
            position += 1
        }
        entities.declare(bytes[start..<min(position, bytes.count)])
        skip(to: min(position + 1, bytes.count))
    }
}

internal import CLibXML
internal import Glibc

/// The text of a field that may hold HTML, as a reader would see it: without tags, comments, scripts and styles, and
/// with its references decoded.
///
/// It takes whatever it is given: what begins no tag and no reference stands for itself. A tree or a full tokenizer is
/// not needed for that, and descriptions are most of what an index reads.
/// Source: "Tokenization" of the HTML standard, https://html.spec.whatwg.org/multipage/parsing.html.
enum PlainText {
    static func text(of html: String) -> String {
        let text = ByteBuffer()
        append(html, to: text)
        return withExtendedLifetime(text) { String(decoding: text.bytes, as: UTF8.self) }
    }

    static func append(_ html: String, to text: ByteBuffer) {
        html.withBytes { append($0, to: text) }
    }

    static func append(_ html: UnsafeRawBufferPointer, to text: ByteBuffer) {
        var markup = Markup(bytes: html, text: text)
        markup.read()
    }
}

private struct Markup {
    let bytes: UnsafeRawBufferPointer
    let text: ByteBuffer
    let beginning: Int
    private var place = 0
    /// Some tag before did not end: those behind it are not looked at, which would take a look at all the rest for each.
    private var lacksEnd = false

    init(bytes: UnsafeRawBufferPointer, text: ByteBuffer) {
        self.bytes = bytes
        self.text = text
        beginning = text.count
    }

    mutating func read() {
        var (tag, reference) = (find("<", from: 0), find("&", from: 0))
        while place < bytes.count {
            let mark = min(tag, reference)
            copy(to: mark)
            guard mark < bytes.count else { return }
            if mark == tag { readTag() } else { readReference() }
            if tag < place { tag = find("<", from: place) }
            if reference < place { reference = find("&", from: place) }
        }
    }

    private mutating func copy(to end: Int) {
        if end > place { text.append(UnsafeRawBufferPointer(rebasing: bytes[place..<end])) }
        place = end
    }

    // MARK: Tags

    /// At a `<`.
    private mutating func readTag() {
        switch byte(place + 1) {
        case UInt8(ascii: "!"):
            if starts(with: "<!--") {
                place = find("-->", from: place + 4) + 3
            } else if starts(with: "<![CDATA[") {
                // Text that was wrapped twice.
                place += 9
            } else {
                place = find(">", from: place) + 1
            }
        case UInt8(ascii: "?"): place = find(">", from: place) + 1
        case UInt8(ascii: "/") where isLetter(byte(place + 2)): passTag(nameAt: place + 2)
        case let first where isLetter(first): passTag(nameAt: place + 1)
        default: copy(to: place + 1)
        }
    }

    private mutating func passTag(nameAt start: Int) {
        var end = start
        var name: UInt64 = 0
        while end < bytes.count, isLetter(bytes[end]) || (48...57).contains(bytes[end]) {
            name = name << 8 | UInt64(bytes[end] | 0x20)
            end += 1
        }
        let isStart = start == place + 1
        guard !lacksEnd, let behind = endOfTag(from: end) else {
            lacksEnd = true
            return copy(to: end)
        }
        place = behind
        if end - start > 8 || !Self.inline.contains(name) { separate() }
        guard isStart else { return }
        if name == Self.packed("script") { place = find("</script", from: place) }
        if name == Self.packed("style") { place = find("</style", from: place) }
    }

    /// Behind the `>` of a tag; one in a quoted value is none. nil where the tag does not end: then it is text.
    private func endOfTag(from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: ">"): return index + 1
            case UInt8(ascii: "="):
                index += 1
                while byte(index) == 0x20 { index += 1 }
                guard let quote = byte(index), quote == 0x22 || quote == 0x27 else { continue }
                // A value that never ends ends with the tag.
                let end = find(quote, from: index + 1)
                index = end < bytes.count ? end + 1 : index + 1
            default: index += 1
            }
        }
        return nil
    }

    /// Words on both sides of a paragraph's end are two words; those around a bold letter are one.
    private func separate() {
        guard text.count > beginning, text.bytes[text.count - 1] > 32 else { return }
        text.append(fixed: UInt8(ascii: " "))
    }

    private static let inline: [UInt64] = [
        "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "label", "mark",
        "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
    ].map { packed($0) }

    /// The letters of a short name as one number.
    private static func packed(_ name: String) -> UInt64 { name.utf8.reduce(0) { $0 << 8 | UInt64($1) } }

    // MARK: References

    /// At a `&`.
    private mutating func readReference() {
        let isNumber = byte(place + 1) == UInt8(ascii: "#")
        var end = place + (isNumber ? 2 : 1)
        while end < bytes.count, end - place < 32, isLetter(bytes[end]) || (48...57).contains(bytes[end]) { end += 1 }
        let name = bytes[place + 1..<end]
        let isClosed = byte(end) == UInt8(ascii: ";")
        guard let scalar = isNumber ? Self.scalar(number: name.dropFirst()) : isClosed ? Self.scalar(named: name) : nil else {
            return copy(to: place + 1)
        }
        for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { text.append(fixed: unit) }
        place = isClosed ? end + 1 : end
    }

    private static func scalar(number: Slice<UnsafeRawBufferPointer>) -> Unicode.Scalar? {
        let isHexadecimal = (number.first ?? 0) | 0x20 == UInt8(ascii: "x")
        let digits = String(decoding: isHexadecimal ? number.dropFirst() : number, as: UTF8.self)
        return UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap { Unicode.Scalar($0) }
    }

    private static func scalar(named name: Slice<UnsafeRawBufferPointer>) -> Unicode.Scalar? {
        if name.elementsEqual("amp".utf8) { return "&" }
        if name.elementsEqual("nbsp".utf8) { return "\u{A0}" }
        return String(decoding: name, as: UTF8.self).withCString { name in
            name.withMemoryRebound(to: UInt8.self, capacity: 1) { htmlEntityLookup($0)?.pointee.value }
        }.flatMap { Unicode.Scalar($0) }
    }

    // MARK: Bytes

    private func byte(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private func isLetter(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return (97...122).contains(byte | 0x20)
    }

    private func starts(with mark: StaticString) -> Bool {
        bytes[place...].starts(with: UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
    }

    /// Where a byte stands next; `bytes.count` where it does not.
    private func find(_ byte: UInt8, from start: Int) -> Int {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, Int32(byte), bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base
    }

    /// The same for a mark, whatever the case of its letters. Behind it may be the end of the text, or past it.
    private func find(_ mark: StaticString, from start: Int) -> Int {
        let mark = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
        var index = start
        while true {
            index = find(mark[0], from: index)
            guard index + mark.count <= bytes.count else { return bytes.count }
            if zip(bytes[index..<index + mark.count], mark).allSatisfy({ $0 == $1 || isLetter($1) && $0 | 0x20 == $1 }) {
                return index
            }
            index += 1
        }
    }
}

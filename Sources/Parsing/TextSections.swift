internal import Glibc

/// Takes the long texts of a document out of what libxml2 is given, and leaves a placeholder in the place of each.
///
/// Most of a feed is CDATA sections and text with references (`&lt;p&gt;`). libxml2 walks over the first three times, byte by
/// byte, and hands over the second in pieces of a few bytes. Found by the C library's searches they cost a tenth of that.
///
/// Where neither a CDATA section nor text may stand, a placeholder is as ill-formed as what it stands for. A processing
/// instruction is the one exception: see `mayHide(in:)`.
struct TextSections: ~Copyable {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    struct Section {
        /// Inside the bytes that were pushed.
        let bytes: Bytes
        /// Whether references are to be resolved in it.
        let hasReferences: Bool
    }

    private static let placeholder: StaticString = "<![CDATA[-]]>"
    /// So much is read at a time, which stays in the processor's cache.
    private static let windowSize = 32 << 10

    /// What was read last, with placeholders.
    private(set) var skeleton = TextBuffer()
    private var sections: [Section] = []
    private var next = 0
    /// Cleared by a document type, in which anything may look like a text.
    private(set) var isOn = true

    private var bytes = Bytes(start: nil, count: 0)
    /// Everything before is in the skeleton.
    private var copied = 0
    /// Everything before has been looked at.
    private var position = 0

    mutating func turnOff() { isOn = false }

    // MARK: What the placeholders stand for

    /// Whether the parser has come by all placeholders.
    var isEmpty: Bool { next == sections.count }

    /// The section in whose place the text of a CDATA section stands; nil where it stands for itself.
    mutating func section(for text: Bytes) -> Section? {
        guard next < sections.count, text.count == 1, text[0] == UInt8(ascii: "-") else { return nil }
        defer { next += 1 }
        return sections[next]
    }

    /// Whether something inside this processing instruction was taken for a text or a comment.
    static func mayHide(in instruction: UnsafePointer<UInt8>) -> Bool {
        strstr(UnsafeRawPointer(instruction).assumingMemoryBound(to: CChar.self), "<!") != nil
    }

    // MARK: Reading

    /// Makes a skeleton of some of the bytes from `start` on.
    ///
    /// - Returns: how far it came: no farther than `start` where it needs to see more bytes than these.
    mutating func read(_ bytes: Bytes, from start: Int) -> Int {
        (self.bytes, copied, position, next) = (bytes, start, start, 0)
        sections.removeAll(keepingCapacity: true)
        skeleton.removeAll()
        let window = min(bytes.count, start + Self.windowSize)
        var mark = -1
        var ampersand = -1
        var isWhole = true
        while isOn, isWhole, position < window {
            if mark < position { mark = bytes.index(of: "!", in: position..<window) ?? window }
            if ampersand < position { ampersand = bytes.index(of: "&", in: position..<window) ?? window }
            if mark >= window, ampersand >= window {
                position = beforeOpening(window)
                break
            }
            isWhole = mark < ampersand ? readMarkup(at: mark) : readText(around: ampersand)
        }
        if !isOn { position = bytes.count }
        skeleton.append(bytes[copied..<position])
        return position
    }

    /// At the exclamation mark of a CDATA section, a comment or a document type. False where it does not end here.
    private mutating func readMarkup(at mark: Int) -> Bool {
        guard mark > copied, bytes[mark - 1] == UInt8(ascii: "<") else {
            position = mark + 1
            return true
        }
        position = mark - 1
        if bytes.has("![CDATA[", at: mark) {
            guard let end = bytes.index(of: "]]>", from: mark + 8) else { return false }
            take(mark + 8..<end, hasReferences: false, outer: position..<end + 3)
        } else if bytes.has("!--", at: mark) {
            guard let end = bytes.index(of: "-->", from: mark + 3) else { return false }
            position = end + 3
        } else if bytes.count - mark < 8 {
            return false
        } else {
            turnOff()
        }
        return true
    }

    /// The text that holds a reference: what lies between the tag before it and the one after it. False where it does not end here.
    private mutating func readText(around ampersand: Int) -> Bool {
        if let tagEnd = (max(copied - 1, 0)..<ampersand).last(where: { Self.isBracket(bytes[$0]) }),
            bytes[tagEnd] == UInt8(ascii: ">")
        {
            guard let end = bytes.index(of: "<", in: ampersand..<bytes.count) else {
                position = tagEnd + 1
                return false
            }
            if bytes.index(of: ">", in: ampersand..<end) == nil {
                take(tagEnd + 1..<end, hasReferences: true, outer: tagEnd + 1..<end)
                return true
            }
        }
        // In an attribute, or in text with a bracket of its own: the same is true of all that comes before that bracket.
        position = (bytes.index(of: ">", in: ampersand..<bytes.count) ?? bytes.count - 1) + 1
        return true
    }

    private mutating func take(_ text: Range<Int>, hasReferences: Bool, outer: Range<Int>) {
        skeleton.append(bytes[copied..<outer.lowerBound])
        skeleton.append(Self.placeholder)
        sections.append(Section(bytes: Bytes(rebasing: bytes[text]), hasReferences: hasReferences))
        (copied, position) = (outer.upperBound, outer.upperBound)
    }

    private static func isBracket(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") }

    /// Before `<` or `<!` where the bytes end with that.
    private func beforeOpening(_ end: Int) -> Int {
        guard let open = (max(copied, end - 8)..<end).last(where: { bytes[$0] == UInt8(ascii: "<") }) else { return end }
        return open + 1 == end || bytes[open + 1] == UInt8(ascii: "!") ? open : end
    }
}

extension UnsafeBufferPointer<UInt8> {
    func index(of byte: Unicode.Scalar, in range: Range<Int>) -> Int? {
        guard let start = baseAddress, !range.isEmpty,
            let hit = memchr(start + range.lowerBound, Int32(byte.value), range.count)
        else { return nil }
        return UnsafeRawPointer(start).distance(to: hit)
    }

    /// Where a short piece of ASCII begins, at `start` or after it.
    func index(of text: StaticString, from start: Int) -> Int? {
        var position = start
        while position < count, let hit = index(of: Unicode.Scalar(text.utf8Start[0]), in: position..<count) {
            if has(text, at: hit) { return hit }
            position = hit + 1
        }
        return nil
    }

    @inline(__always)
    func has(_ text: StaticString, at start: Int) -> Bool {
        guard let base = baseAddress, start + text.utf8CodeUnitCount <= count else { return false }
        return memcmp(base + start, text.utf8Start, text.utf8CodeUnitCount) == 0
    }
}

internal import Glibc

/// What libxml2 is given of a document: all but its texts and its elements without children, for which placeholders stand.
///
/// Most of a feed is such elements (`<title>…</title>`), CDATA sections and text with references (`&lt;p&gt;`). libxml2 walks
/// over them byte by byte, three times over CDATA, and hands over text in pieces of a few bytes. What is ordinary about
/// them is read here at a tenth of that (see `Extracts`); all else is left to libxml2.
///
/// Where neither an element nor text may stand, a placeholder is as ill-formed as what it stands for.
struct Skeleton: ~Copyable {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    /// What came of looking at something.
    enum Outcome {
        /// It was taken out, and ends here.
        case taken(to: Int)
        /// It is not ordinary.
        case left
        /// It does not end in the bytes at hand.
        case cutOff
    }

    private static let placeholder: StaticString = "<![CDATA[-]]>"
    /// So much is read at a time, which stays in the processor's cache.
    private static let windowSize = 32 << 10
    /// Until the root is open nothing else is an element without children.
    private static let headSize = 512

    /// What was read last, with placeholders.
    private(set) var text = TextBuffer()
    private(set) var extracts = Extracts()
    /// For each placeholder, where its events begin.
    private var runs: [Int] = []
    private var next = 0
    /// Cleared by a document type, in which anything may look like a text.
    private(set) var isOn = true

    private var bytes = Bytes(start: nil, count: 0)
    /// Everything before is in the skeleton.
    private var copied = 0
    /// Everything before has been looked at.
    private var position = 0
    /// What stands before `copied` was taken out: what follows may share its placeholder.
    private var isRunOpen = false

    mutating func turnOff() { isOn = false }

    // MARK: What the placeholders stand for

    /// Whether the parser has come by all placeholders.
    var isEmpty: Bool { next == runs.count }

    /// The events for which the text of a CDATA section stands; nil where it stands for itself.
    mutating func events(for text: Bytes) -> Range<Int>? {
        guard next < runs.count, text.count == 1, text[0] == UInt8(ascii: "-") else { return nil }
        defer { next += 1 }
        return runs[next]..<(next + 1 < runs.count ? runs[next + 1] : extracts.count)
    }

    // MARK: Reading

    /// Makes a skeleton of some of the bytes from `start` on.
    ///
    /// - Returns: how far it came: no farther than `start` where it needs to see more bytes than these.
    mutating func read(_ bytes: Bytes, from start: Int, isInRoot: Bool) -> Int {
        (self.bytes, copied, position, next, isRunOpen) = (bytes, start, start, 0, false)
        runs.removeAll(keepingCapacity: true)
        extracts.begin(bytes)
        text.removeAll()
        let window = min(bytes.count, start + (isInRoot ? Self.windowSize : Self.headSize))
        while isOn, position < window, readOn(to: window, isInRoot: isInRoot) {}
        if !isOn { position = bytes.count }
        text.append(bytes[copied..<position])
        return position
    }

    /// Reads up to the next tag, or that. False where it does not end in the bytes at hand.
    private mutating func readOn(to window: Int, isInRoot: Bool) -> Bool {
        // Most elements stand in lines of their own.
        let isLineEnd = position + 1 < window && bytes[position] == 10 && bytes[position + 1] == UInt8(ascii: "<")
        let open = isLineEnd ? position + 1 : bytes.index(of: "<", in: position..<window) ?? window
        // Where it goes on with what is not taken out.
        var end = open + 1
        var outcome = Outcome.left
        if !isLineEnd, let ampersand = bytes.index(of: "&", in: position..<open) {
            (outcome, end) = takeText(around: ampersand)
        } else if open == window {
            end = window
        } else if open + 1 == bytes.count {
            (outcome, end) = (.cutOff, open)
        } else if bytes[open + 1] == UInt8(ascii: "!") {
            (outcome, end) = takeDeclaration(at: open)
        } else if bytes[open + 1] == UInt8(ascii: "?") {
            if let close = bytes.index(of: "?>", from: open + 2) { end = close + 2 } else { (outcome, end) = (.cutOff, open) }
        } else if isInRoot, bytes[open + 1] != UInt8(ascii: "/") {
            outcome = take(from: open) { $0.element(at: open) }
            if case .cutOff = outcome { end = open }
        }
        switch outcome {
        case .taken(to: let end): position = end
        case .left:
            isRunOpen = false
            position = end
        case .cutOff:
            position = end
            return false
        }
        return true
    }

    /// A CDATA section, a comment or a document type.
    private mutating func takeDeclaration(at open: Int) -> (Outcome, end: Int) {
        if bytes.has("<![CDATA[", at: open) {
            guard let close = bytes.index(of: "]]>", from: open + 9) else { return (.cutOff, open) }
            return (take(from: open) { $0.section(open + 9..<close) ? .taken(to: close + 3) : .left }, close + 3)
        }
        if bytes.has("<!--", at: open) {
            guard let close = bytes.index(of: "-->", from: open + 4) else { return (.cutOff, open) }
            return (.left, close + 3)
        }
        if bytes.count - open < 9 { return (.cutOff, open) }
        turnOff()
        return (.left, open)
    }

    /// The text that holds a reference: what lies between the tag before it and the one after it.
    private mutating func takeText(around ampersand: Int) -> (Outcome, end: Int) {
        if let tagEnd = (max(copied - 1, 0)..<ampersand).last(where: { Self.isBracket(bytes[$0]) }),
            bytes[tagEnd] == UInt8(ascii: ">")
        {
            guard let end = bytes.index(of: "<", in: ampersand..<bytes.count) else { return (.cutOff, tagEnd + 1) }
            if bytes.index(of: ">", in: ampersand..<end) == nil {
                return (take(from: tagEnd + 1) { $0.text(tagEnd + 1..<end) ? .taken(to: end) : .left }, end)
            }
        }
        // In an attribute, or in text with a bracket of its own: the same is true of all that comes before that bracket.
        return (.left, (bytes.index(of: ">", in: ampersand..<bytes.count) ?? bytes.count - 1) + 1)
    }

    /// Puts a placeholder where something is taken out, unless that goes on with what the last one stands for.
    private mutating func take(from start: Int, _ extract: (inout Extracts) -> Outcome) -> Outcome {
        let mark = extracts.count
        let goesOn = isRunOpen && extracts.text(copied..<start)
        let outcome = extract(&extracts)
        guard case .taken(to: let end) = outcome else {
            extracts.removeLast(to: mark)
            return outcome
        }
        if !goesOn {
            text.append(bytes[copied..<start])
            text.append(Self.placeholder)
            runs.append(mark)
        }
        copied = end
        isRunOpen = true
        return outcome
    }

    private static func isBracket(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") }
}

extension UnsafeBufferPointer<UInt8> {
    @inline(__always)
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

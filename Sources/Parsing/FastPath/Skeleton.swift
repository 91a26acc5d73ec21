internal import Glibc

/// The part of a document that libxml2 reads: everything but texts and elements without children, which are replaced by
/// placeholders. The front door of this folder.
///
/// Most of a feed is such elements (`<title>…</title>`), CDATA sections and text with references (`&lt;p&gt;`). libxml2 reads
/// them byte by byte, CDATA three times, and delivers text in pieces of a few bytes. Here the ordinary ones cost a tenth of
/// that (see `Extracts`); all others are left to libxml2.
///
/// Wherever neither elements nor text are allowed, a placeholder is as ill-formed as the content it replaces.
struct Skeleton: ~Copyable {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    /// The result of trying to take something out.
    enum Outcome {
        /// It was taken out, and ends here.
        case taken(to: Int)
        /// It is not ordinary.
        case left
        /// It does not end in the bytes received so far.
        case cutOff
    }

    private static let placeholder: StaticString = "<![CDATA[-]]>"
    /// Bytes read at a time; small enough to stay in the CPU cache.
    private static let windowSize = 32 << 10
    /// Bytes read at a time before the root element, which must be open before any element is taken out.
    private static let headSize = 512

    /// The bytes read last, with placeholders.
    private(set) var text = TextBuffer()
    private(set) var extracts = Extracts()
    /// The first event of each placeholder.
    private var runs: [Int] = []
    private var next = 0
    /// False after a document type declaration, in which anything may look like text.
    private(set) var isOn = true

    private var bytes = Bytes(start: nil, count: 0)
    /// Position up to which bytes are in the skeleton.
    private var copied = 0
    /// Position up to which bytes have been examined.
    private var position = 0
    /// True if the content just before `copied` was taken out, so that adjacent content may share its placeholder.
    private var isRunOpen = false

    mutating func turnOff() { isOn = false }

    // MARK: Placeholders

    /// True if the parser has reported all placeholders.
    var isEmpty: Bool { next == runs.count }

    /// The events that the text of a CDATA section replaces; nil if it is not a placeholder.
    mutating func events(for text: Bytes) -> Range<Int>? {
        guard next < runs.count, text.count == 1, text[0] == UInt8(ascii: "-") else { return nil }
        defer { next += 1 }
        return runs[next]..<(next + 1 < runs.count ? runs[next + 1] : extracts.count)
    }

    // MARK: Reading

    /// Makes a skeleton of some of the bytes from `start` on.
    ///
    /// - Returns: the end of the bytes read; `start` if more bytes are needed.
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

    /// Reads text up to the next tag, or a tag. Returns false if it does not end in the bytes received so far.
    private mutating func readOn(to window: Int, isInRoot: Bool) -> Bool {
        // Most elements are on lines of their own.
        let isLineEnd = position + 1 < window && bytes[position] == 10 && bytes[position + 1] == UInt8(ascii: "<")
        let open = isLineEnd ? position + 1 : bytes.index(of: "<", in: position..<window) ?? window
        // Where reading continues if nothing is taken out.
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

    /// The text around a reference, between the tags before and after it.
    private mutating func takeText(around ampersand: Int) -> (Outcome, end: Int) {
        if let tagEnd = (max(copied - 1, 0)..<ampersand).last(where: { Self.isBracket(bytes[$0]) }),
            bytes[tagEnd] == UInt8(ascii: ">")
        {
            guard let end = bytes.index(of: "<", in: ampersand..<bytes.count) else { return (.cutOff, tagEnd + 1) }
            if bytes.index(of: ">", in: ampersand..<end) == nil {
                return (take(from: tagEnd + 1) { $0.text(tagEnd + 1..<end) ? .taken(to: end) : .left }, end)
            }
        }
        // The reference is in an attribute, or in text that contains `>`. This holds for everything up to that `>`.
        return (.left, (bytes.index(of: ">", in: ampersand..<bytes.count) ?? bytes.count - 1) + 1)
    }

    /// Writes a placeholder for removed content, merging it with the preceding one if they are adjacent.
    private mutating func take(from start: Int, _ extract: (inout Extracts) -> Outcome) -> Outcome {
        let mark = extracts.count
        let continuesRun = isRunOpen && extracts.text(copied..<start)
        let outcome = extract(&extracts)
        guard case .taken(to: let end) = outcome else {
            extracts.removeLast(to: mark)
            return outcome
        }
        if !continuesRun {
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

    /// Position of a short ASCII string at or after `start`.
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

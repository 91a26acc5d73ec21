internal import CScan

/// Content taken out of a document, as events in document order, with the texts that needed resolving.
///
/// Takes only ordinary content, which can be read without context and is well-formed wherever an element or text is
/// allowed.
struct Extracts: ~Copyable {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    struct Event {
        enum Kind: UInt8 {
            case text
            /// A start tag's name; its attributes follow, for each its name and its value.
            case start, attribute, value
            /// The end of the element that started last.
            case end
        }

        let kind: Kind
        /// True if the bytes are in `resolved`, false if they are in the document.
        var isResolved = false
        /// Line feeds in the document since the event before this one.
        var lines: Int32 = 0
        /// Length of a name's prefix; 0 without one.
        var prefix: Int32 = 0
        var start = 0
        var count = 0

        /// The range of a name without its prefix.
        var local: Range<Int> { start + (prefix > 0 ? Int(prefix) + 1 : 0)..<start + count }
    }

    /// Plain memory: a feed has hundreds of thousands of events, and an array would count references for each.
    private(set) var events = UnsafeMutablePointer<Event>.allocate(capacity: 1_024)
    private var capacity = 1_024
    private(set) var count = 0
    private var resolved = TextBuffer()
    private(set) var document = Bytes(start: nil, count: 0)

    deinit { events.deallocate() }

    mutating func begin(_ document: Bytes) {
        self.document = document
        count = 0
        resolved.removeAll()
    }

    @inline(__always)
    mutating func append(_ event: Event) {
        if count == capacity { grow() }
        (events + count).initialize(to: event)
        count += 1
    }

    /// - Parameter count: number of events to keep.
    mutating func removeLast(to count: Int) { self.count = count }

    mutating func countLine(at index: Int) { events[index].lines += 1 }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Event>.allocate(capacity: 2 * capacity)
        larger.moveInitialize(from: events, count: count)
        events.deallocate()
        (events, capacity) = (larger, 2 * capacity)
    }

    /// Valid until the next extraction.
    @inline(__always)
    func bytes(of event: Event) -> Bytes {
        guard let base = (event.isResolved ? resolved.bytes : document).baseAddress else { return Bytes(start: nil, count: 0) }
        return Bytes(start: base + event.start, count: event.count)
    }

    // MARK: Texts

    /// A CDATA section's text. Returns false if it is not ordinary, like the functions that follow.
    mutating func section(_ range: Range<Int>) -> Bool {
        let bytes = Bytes(rebasing: document[range])
        let look = lookAtText(bytes.baseAddress, bytes.count)
        guard !look.hasControls, look.isASCII || isXMLText(bytes.baseAddress, bytes.count) else { return false }
        append(Event(kind: .text, lines: Int32(look.lineFeeds), start: range.lowerBound, count: range.count))
        return true
    }

    /// Text between tags.
    mutating func text(_ range: Range<Int>) -> Bool {
        if range.isEmpty { return true }
        if range.count == 1, document[range.lowerBound] == 10 {
            append(Event(kind: .text, lines: 1, start: range.lowerBound, count: 1))
            return true
        }
        return resolve(range, .text)
    }

    /// Text or a value that ends with `mark`.
    ///
    /// - Returns: the position of `mark` if the text was taken.
    @inline(__always)
    mutating func text(to mark: Unicode.Scalar, from start: Int, _ kind: Event.Kind) -> Skeleton.Outcome {
        guard let base = document.baseAddress else { return .left }
        let plainEnd = start + plainLength(base + start, document.count - start, UInt8(ascii: mark))
        if plainEnd < document.count, document[plainEnd] == UInt8(ascii: mark) {
            append(Event(kind: kind, start: start, count: plainEnd - start))
            return .taken(to: plainEnd)
        }
        guard let end = document.index(of: mark, in: plainEnd..<document.count) else { return .cutOff }
        // XML turns white space in a value into blanks.
        if kind == .value, document[start..<end].contains(where: { $0 < 32 }) { return .left }
        return resolve(start..<end, kind) ? .taken(to: end) : .left
    }

    /// Text or a value with references, line breaks, or characters beyond ASCII.
    private mutating func resolve(_ range: Range<Int>, _ kind: Event.Kind) -> Bool {
        let bytes = Bytes(rebasing: document[range])
        let start = resolved.count
        let document = document
        let text = resolved.append(upTo: bytes.count + 16) { room in
            let text = resolveText(bytes.baseAddress, bytes.count, document.count - range.lowerBound, room)
            return (text, text.length)
        }
        guard !text.isUnusual, text.isASCII || isXMLText(bytes.baseAddress, bytes.count) else { return false }
        append(Event(kind: kind, isResolved: true, lines: Int32(text.lineFeeds), start: start, count: text.length))
        return true
    }
}

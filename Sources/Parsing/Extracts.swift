internal import CLibXML

/// What was taken out of a document, as events in their order, with the texts in which something was resolved.
///
/// Takes only what is ordinary, that is, what can be read without knowing more of the document than its bytes here, and
/// is well-formed in every place where an element or text may stand at all.
struct Extracts: ~Copyable {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    struct Event {
        enum Kind: UInt8 {
            case text
            /// A start tag's name; its attributes follow, for each its name and its value.
            case start, attribute, value
            /// Of the element that was started last.
            case end
        }

        let kind: Kind
        /// Whether the bytes are among the resolved ones, not in the document.
        var isResolved = false
        /// Line feeds in the document since the event before this one.
        var lines: Int32 = 0
        /// Before the colon of a name that has a prefix; else 0.
        var prefix: Int32 = 0
        var start = 0
        var count = 0

        /// Of a name, the range of what stands behind its prefix.
        var local: Range<Int> { start + (prefix > 0 ? Int(prefix) + 1 : 0)..<start + count }
    }

    /// Plain memory, so that the hundreds of thousands of events of a feed count no references.
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

    /// - Parameter count: how many events stay.
    mutating func removeLast(to count: Int) { self.count = count }

    @inline(__always)
    mutating func append(_ event: Event) {
        if count == capacity { grow() }
        (events + count).initialize(to: event)
        count += 1
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Event>.allocate(capacity: 2 * capacity)
        larger.moveInitialize(from: events, count: count)
        events.deallocate()
        (events, capacity) = (larger, 2 * capacity)
    }

    mutating func countLine(at index: Int) { events[index].lines += 1 }

    /// Valid until more is taken out.
    func bytes(of event: Event) -> Bytes {
        Bytes(rebasing: (event.isResolved ? resolved.bytes : document)[event.start..<event.start + event.count])
    }

    // MARK: Texts

    /// A CDATA section's text. False where it is not ordinary, as for all that follow.
    mutating func section(_ range: Range<Int>) -> Bool {
        guard let look = try? TextLook(Bytes(rebasing: document[range])) else { return false }
        append(Event(kind: .text, lines: Int32(look.lineFeeds), start: range.lowerBound, count: range.count))
        return true
    }

    /// Text between tags.
    mutating func text(_ range: Range<Int>) -> Bool {
        if range.isEmpty { return true }
        // What stands between most elements.
        if range.count == 1, document[range.lowerBound] == 10 {
            append(Event(kind: .text, lines: 1, start: range.lowerBound, count: 1))
            return true
        }
        let text = Bytes(rebasing: document[range])
        if isPlain(text) {
            append(Event(kind: .text, start: range.lowerBound, count: range.count))
            return true
        }
        return unusual(text, range, .text)
    }

    /// An attribute's value. White space in it other than blanks would become blanks.
    mutating func value(_ range: Range<Int>) -> Bool {
        let text = Bytes(rebasing: document[range])
        if isPlain(text) {
            append(Event(kind: .value, start: range.lowerBound, count: range.count))
            return true
        }
        return !text.contains { $0 < 32 || $0 == UInt8(ascii: "<") } && unusual(text, range, .value)
    }

    /// Text with references, line breaks, or more than ASCII.
    private mutating func unusual(_ text: Bytes, _ range: Range<Int>, _ kind: Event.Kind) -> Bool {
        guard text.index(of: ">", in: 0..<text.count) == nil, let look = try? TextLook(text) else { return false }
        var event = Event(kind: kind, lines: Int32(look.lineFeeds), start: range.lowerBound, count: range.count)
        if look.hasCarriageReturns || text.index(of: "&", in: 0..<text.count) != nil {
            event.isResolved = true
            event.start = resolved.count
            do {
                try resolved.append(resolving: text, hasReturns: look.hasCarriageReturns)
            } catch {
                return false
            }
            event.count = resolved.count - event.start
        }
        append(event)
        return true
    }

    /// Printable ASCII without markup and references.
    private func isPlain(_ text: Bytes) -> Bool { isPlainText(text.baseAddress, text.count) }
}

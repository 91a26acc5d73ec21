internal import CLibXML
internal import Domain
internal import Glibc

/// libxml2's push parser, which feeds a `FeedBuilder`: SAX2 events, no tree, nothing external is loaded. In the strict
/// pass it receives the document without its texts and leaf elements, see `Skeleton`.
///
/// The only owner of libxml2's pointers for feeds. Input must be UTF-8.
final class XMLPushParser {
    /// The state of the callbacks.
    struct State: ~Copyable {
        var builder: FeedBuilder
        var names = QualifiedNames()
        var attributes = AttributeBuffer()
        var skeleton = Skeleton()
        /// Lives as long as the push parser that owns this state.
        let libxml: UnsafeMutablePointer<xml_parser>
        /// Line feeds in reported content that was taken out of the document, which libxml2 has not counted.
        var linesTakenOut = 0
        /// The first error in the document.
        var firstError: (code: Int32, line: Int)?
        /// True if the parser stopped as a precaution instead of an error: at entities, which libxml2 must not expand,
        /// or because the document is so deep or wide that libxml2 would take quadratic time. The repair pass bounds
        /// these.
        var isSetAside = false
        var isTooLarge = false
        /// Bytes that have been pushed.
        var size = 0
    }

    /// Deeper than any feed; bounds the work that libxml2 does for each level.
    private static let maxDepth = 1_000
    /// libxml2's table of names stops growing at a few thousand, and is then searched name by name.
    private static let maxNames = 20_000
    /// libxml2 compares each attribute of a tag with every other one. Attributes that are shorter than this on average
    /// are too many.
    private static let bytesOfAttribute = 32
    /// libxml2 handles long fields in linear time only if they come in larger pieces.
    private static let pieceSize = 64 << 10

    /// Most bytes to hold; longer texts are passed to libxml2.
    private static let maxHeld = 1 << 20

    private let state: UnsafeMutablePointer<State>
    /// True if the document has been repaired, which bounds its depth and width.
    private let isRecovering: Bool
    private var lineBreaks = LineBreaks()
    /// The beginning of content whose end has not arrived yet.
    private var held = TextBuffer(capacity: 4 << 10)
    private(set) var isStopped = false

    /// - Throws: `SystemFailure` if libxml2 cannot be loaded.
    init(baseURL: String?, purpose: FeedBuilder.Purpose = .feed, recovering: Bool) throws(SystemFailure) {
        var error: Int32 = 0
        guard xml_load(&error) else { throw .missingLibrary(name: "libxml2.so.2", errno: error) }
        let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        guard let libxml = xml_parser_new(state, Self.handler, recovering) else {
            state.deallocate()
            throw .call("xmlCreatePushParserCtxt", errno: ENOMEM)
        }
        self.state = state
        isRecovering = recovering
        state.initialize(to: State(builder: FeedBuilder(baseURL: baseURL, purpose: purpose), libxml: libxml))
        state.pointee.builder.lineOfEvent = { Int(xml_parser_line(libxml)) + state.pointee.linesTakenOut }
        if recovering { state.pointee.skeleton.turnOff() }
    }

    deinit {
        xml_parser_free(state.pointee.libxml)
        state.deinitialize(count: 1)
        state.deallocate()
    }

    var builder: FeedBuilder {
        _read { yield state.pointee.builder }
        _modify { yield &state.pointee.builder }
    }

    /// The result of a failed pass. The values it collected are freed with the parser.
    struct Verdict {
        let refusal: NotAFeed?
        let firstError: (code: Int32, line: Int)?
        let isSetAside: Bool
    }

    var verdict: Verdict { Verdict(refusal: refusal, firstError: firstError, isSetAside: state.pointee.isSetAside) }

    var firstError: (code: Int32, line: Int)? { state.pointee.firstError }

    /// True if the document was read to the end of its root without an error.
    var isComplete: Bool { firstError == nil && !state.pointee.isSetAside && builder.rootClosed }

    /// Why the document is not a feed or list, even after a repair; nil if it may be one.
    var refusal: NotAFeed? {
        if state.pointee.isTooLarge { return .tooLarge }
        guard let root = builder.rejectedRoot else { return nil }
        return HTMLRoots.contains(root) ? .html : .unknownRoot(root)
    }

    func push(_ bytes: Span<UInt8>) {
        state.pointee.size += bytes.count
        bytes.withUnsafeBufferPointer { bytes in lineBreaks.normalize(bytes) { pushNormalized($0) } }
        // The document is in memory too, as the copy for a repair or as the repaired one.
        let footprint = state.pointee.builder.footprint
        if footprint.isTooLarge(document: state.pointee.size, held: state.pointee.size) {
            state.pointee.isTooLarge = true
            xml_parser_stop(state.pointee.libxml)
            isStopped = true
        }
    }

    private func pushNormalized(_ bytes: UnsafeBufferPointer<UInt8>) {
        var remaining = bytes[...]
        while held.count > 0, !remaining.isEmpty, !isStopped {
            // Doubled each time, so that content in a thousand pieces is not scanned a thousand times.
            let before = held.count
            let taken = min(max(before, 4 << 10), remaining.count)
            held.append(remaining.prefix(taken))
            let done = walk(held.bytes)
            remaining = remaining.dropFirst(done < before ? taken : done - before)
            held.removeFirst(done < before ? done : held.count)
            if held.count > Self.maxHeld { passHeld() }
        }
        if isStopped { return }
        remaining = remaining.dropFirst(walk(UnsafeBufferPointer(rebasing: remaining)))
        held.append(remaining)
    }

    func finish() {
        if !isStopped { passHeld() }
        guard !isStopped else { return }
        xml_parser_finish(state.pointee.libxml)
        noteStop()
    }

    /// - Returns: the number of bytes consumed. The remainder must be passed again, together with the bytes that follow.
    private func walk(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var position = 0
        while position < bytes.count, !isStopped, state.pointee.skeleton.isOn {
            let isInRoot = !state.pointee.builder.frames.isEmpty
            let end = state.pointee.skeleton.read(bytes, from: position, isInRoot: isInRoot)
            if end == position { return position }
            parse(state.pointee.skeleton.text.bytes)
            state.pointee.builder.keepText()
            if !isStopped, !state.pointee.skeleton.isEmpty { setAside() }
            position = end
        }
        if !isStopped { parse(UnsafeBufferPointer(rebasing: bytes[position...])) }
        return bytes.count
    }

    private func passHeld() {
        state.pointee.skeleton.turnOff()
        parse(held.bytes)
        held.removeAll()
    }

    private func parse(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        var offset = 0
        while offset < bytes.count, !isStopped {
            let size = min(Self.pieceSize, bytes.count - offset)
            if !isRecovering, Self.isWide(UnsafeBufferPointer(rebasing: bytes[offset..<offset + size])) { return setAside() }
            xml_parser_push(state.pointee.libxml, start + offset, Int32(size))
            offset += size
            if xml_parser_name_count(state.pointee.libxml) > Self.maxNames { setAside() }
            noteStop()
        }
    }

    /// True if a piece seems to lie inside one tag and to be full of attributes.
    private static func isWide(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        guard piece.count >= 16 << 10, piece.index(of: "<", in: 0..<piece.count) == nil else { return false }
        return piece.count { $0 == UInt8(ascii: "=") } > piece.count / bytesOfAttribute
    }

    private func noteStop() {
        if xml_parser_is_stopped(state.pointee.libxml) { isStopped = true }
    }

    private func setAside() {
        Self.setAside(state)
        isStopped = true
    }

    // MARK: Callbacks

    private static func state(of parser: UnsafeMutableRawPointer) -> UnsafeMutablePointer<State> {
        parser.assumingMemoryBound(to: xml_parser.self).pointee.owner.assumingMemoryBound(to: State.self)
    }

    private static let handler = xml_handler(
        start: { parser, local, prefix, uri, namespaceCount, namespaces, attributeCount, _, attributes in
            let state = state(of: parser)
            let name = state.pointee.names.name(local, prefix: prefix, uri: uri)
            start(name.element, XMLAttributes(pointers: attributes, count: Int(attributeCount)), state)
            let depth = state.pointee.builder.frames.count
            state.pointee.names.declare(namespaces, Int(namespaceCount), depth: depth)
            if state.pointee.builder.rejectedRoot != nil { xml_parser_stop(state.pointee.libxml) }
        },
        end: { parser, local, _, _ in
            let state = state(of: parser)
            state.pointee.builder.end(local)
            state.pointee.names.endDeclarations(below: state.pointee.builder.frames.count)
        },
        text: { parser, characters, count in
            state(of: parser).pointee.builder.characters(UnsafeBufferPointer(start: characters, count: Int(count)))
        },
        cdata: { parser, characters, count in
            let state = state(of: parser)
            let text = UnsafeBufferPointer(start: characters, count: Int(count))
            if let events = state.pointee.skeleton.events(for: text) {
                read(events, state)
            } else {
                state.pointee.builder.characters(text)
            }
        },
        // Entities are expanded by the repair pass, which bounds them; here they only end the strict pass.
        entity: { setAside(state(of: $0)) },
        error: { parser, error in
            let state = state(of: parser)
            if error.isUndeclaredPrefix {
                state.pointee.builder.meetUndeclaredPrefix()
            } else if !error.isNamespaceError, state.pointee.firstError == nil {
                state.pointee.firstError = (error.code, Int(error.line) + state.pointee.linesTakenOut)
            }
        })

    static func start(_ name: ElementName, _ attributes: XMLAttributes, _ state: UnsafeMutablePointer<State>) {
        state.pointee.builder.start(name, attributes)
        if state.pointee.builder.frames.count > maxDepth { setAside(state) }
    }

    static func setAside(_ state: UnsafeMutablePointer<State>) {
        state.pointee.isSetAside = true
        xml_parser_stop(state.pointee.libxml)
    }
}

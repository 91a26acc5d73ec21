public import Domain
internal import Memory

/// Reads one feed document in any format, pushed in pieces: the module's front door.
///
/// ```
/// push ──▶ head: encoding, JSON or XML ──▶ strict pass ──▶ finish
///                                          │ fails
///   received bytes ──▶ decode ──▶ repair ──▶ recovering pass
/// ```
/// The strict pass takes the bytes to be well-formed UTF-8 and parses them as they arrive. Only if that fails, or the document
/// is in another encoding, are the bytes read again, from a copy or from their source.
public final class FeedParser: FeedParsing {
    private let hints: ParseHints
    private let readAgain: (() -> [UInt8]?)?
    private var received: [[UInt8]] = []
    /// Pieces that are too small to be worth a call of libxml2.
    private var pending: [UInt8] = []
    private var stage = Stage.head
    /// Declared encodings that were rejected in favour of the one the strict pass assumes.
    private var passedOver: [String] = []

    private enum Stage {
        /// Too little has arrived to detect the format.
        case head
        /// Apparently XML in UTF-8, which is parsed as it arrives.
        case streaming(XMLPushParser)
        /// Read only at the end.
        case waiting(isJSON: Bool)
    }

    /// Enough for a byte order mark, some junk and an XML declaration.
    private static let headSize = 1_024
    private static let pieceSize = 32 << 10

    /// - Parameter readAgain: reads the whole document again. If it is given, no copy of the document is kept.
    public init(_ hints: ParseHints = ParseHints(), readAgain: (() -> [UInt8]?)? = nil) {
        self.hints = hints
        self.readAgain = readAgain
    }

    public func push(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        if readAgain == nil || isInHead { received.append(bytes) }
        switch stage {
        case .waiting: break
        case .head:
            pending.append(contentsOf: bytes.prefix(Self.headSize - pending.count))
            if pending.count >= Self.headSize { begin() }
            if readAgain != nil, !isInHead { received = [] }
        case .streaming(let parser):
            if bytes.count >= Self.pieceSize {
                flush(to: parser)
                parser.push(bytes.span)
            } else {
                pending.append(contentsOf: bytes)
                if pending.count >= Self.pieceSize { flush(to: parser) }
            }
        }
    }

    /// - Throws: `NotAFeed`, or `SystemFailure` if libxml2 cannot be loaded.
    public func finish() throws -> ParsedFeed {
        if case .head = stage { begin() }
        switch stage {
        case .head, .waiting(isJSON: false): return try finishXML()
        case .waiting(isJSON: true): return try JSONFeed.read(decoded(), baseURL: hints.baseURL)
        case .streaming(let parser):
            flush(to: parser)
            parser.finish()
            if let refusal = parser.refusal, refusal == .tooLarge { throw refusal }
            if !parser.isComplete { return try finishXML(strict: parser.verdict) }
            dropCopy()
            return try XMLFeed.make(XMLDocument(parser, passedOver: passedOver))
        }
    }

    // MARK: Steps

    /// Looks at the first bytes, and starts the strict pass if they may be UTF-8.
    private func begin() {
        let mark = TextEncoding.byteOrderMark(pending)
        let text = pending.dropFirst(mark?.length ?? 0)
        if text.first(where: { !Text.isBlank($0) && $0 != 0 }) == UInt8(ascii: "{") {
            stage = .waiting(isJSON: true)
            return
        }
        let labels = mark == nil ? labels(head: pending) : []
        let usable = labels.firstIndex { TextEncoding(label: $0).map { !$0.isWide } ?? false }
        let encoding = mark?.encoding ?? usable.flatMap { TextEncoding(label: labels[$0]) } ?? .utf8
        passedOver = Array(labels[..<(usable ?? labels.endIndex)])
        guard encoding == .utf8, TextEncoding.widePattern(pending) == nil else {
            stage = .waiting(isJSON: false)
            return
        }
        guard let parser = try? XMLPushParser(baseURL: hints.baseURL, recovering: false) else {
            // libxml2 cannot be loaded. `finish()` tries again and throws.
            stage = .waiting(isJSON: false)
            return
        }
        stage = .streaming(parser)
        pending.removeAll()
        var skip = mark?.length ?? 0
        for piece in received {
            let start = min(skip, piece.count)
            skip -= start
            let text = piece[start...]
            parser.push(text.span)
        }
    }

    /// Frees the copy of the document. Its pieces lie between the values of the feed, where malloc would keep the memory of
    /// a large document for small pieces, while what is written next is large.
    private func dropCopy() {
        let size = received.reduce(0) { $0 + $1.count }
        received = []
        if size >= FreedMemory.worthwhile { FreedMemory.giveBack() }
    }

    private func flush(to parser: XMLPushParser) {
        parser.push(pending.span)
        pending.removeAll(keepingCapacity: true)
    }

    private func labels(head: [UInt8]) -> [String] {
        [TextEncoding.charset(ofContentType: hints.contentType), TextEncoding.declared(in: head)].compactMap { $0 }
    }

    private var isInHead: Bool {
        if case .head = stage { true } else { false }
    }

    private func decoded() -> DecodedText {
        let again = received.isEmpty ? readAgain?() : nil
        let bytes = again ?? (received.count == 1 ? received[0] : Array(received.joined()))
        (received, pending) = ([], [])
        return DecodedText(bytes, labels: labels(head: bytes))
    }

    private func finishXML(strict: XMLPushParser.Verdict? = nil) throws -> ParsedFeed {
        stage = .head
        return try XMLFeed.make(XMLDocument(decoded(), baseURL: hints.baseURL, purpose: .feed, strict: strict))
    }
}

/// Puts a feed together from what the XML parser collected.
private enum XMLFeed {
    static func make(_ document: XMLDocument) throws -> ParsedFeed {
        let parser = document.parser
        if let refusal = parser.refusal { throw refusal }
        guard let format = parser.builder.format else { throw NotAFeed.notXML(line: parser.firstError?.line) }
        let (channel, items) = parser.builder.finish()
        // RDF is also used for documents that are not feeds.
        if format == .rdf, items.isEmpty, channel == Channel() { throw NotAFeed.unknownRoot("rdf:RDF") }
        return ParsedFeed(
            format: format, version: parser.builder.version, encoding: document.encoding.name,
            wellFormed: document.isWellFormed, truncated: document.isTruncated,
            endsInsideItem: document.endsInsideItem, warnings: document.warnings + parser.builder.warnings, channel: channel,
            items: items)
    }
}

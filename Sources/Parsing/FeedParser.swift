public import Domain

/// Reads one feed document in any format, pushed in pieces: the module's front door.
///
/// ```
/// push ──▶ head: encoding, JSON or XML ──▶ strict pass ──▶ finish
///                                          │ fails
///   kept bytes ──▶ decode ──▶ repair ──▶ recovering pass
/// ```
/// The strict pass takes the bytes to be well-formed UTF-8 and goes along as they arrive. Only where that fails, or the
/// document is in another encoding, are the bytes read again, from the copy that is kept until then.
public final class FeedParser: FeedParsing {
    private let hints: ParseHints
    private var kept: [[UInt8]] = []
    /// Pieces that are too small to be worth a call of libxml2.
    private var pending: [UInt8] = []
    private var stage = Stage.head

    private enum Stage {
        /// Too little has come to tell what it is.
        case head
        /// UTF-8 as it seems: parsed as it comes.
        case streaming(XMLPushParser)
        /// Kept until the end.
        case waiting(isJSON: Bool)
    }

    /// Enough for a byte order mark, and an XML declaration after some junk.
    private static let headSize = 1_024
    private static let pieceSize = 32 << 10

    public init(_ hints: ParseHints = ParseHints()) {
        self.hints = hints
    }

    public func push(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        kept.append(bytes)
        switch stage {
        case .waiting: break
        case .head:
            pending.append(contentsOf: bytes.prefix(Self.headSize - pending.count))
            if pending.count >= Self.headSize { begin() }
        case .streaming(let parser):
            if bytes.count >= Self.pieceSize {
                flush(to: parser)
                bytes.withUnsafeBufferPointer { parser.push($0) }
            } else {
                pending.append(contentsOf: bytes)
                if pending.count >= Self.pieceSize { flush(to: parser) }
            }
        }
    }

    /// - Throws: `NotAFeed`.
    public func finish() throws -> ParsedFeed {
        if case .head = stage { begin() }
        switch stage {
        case .head, .waiting(isJSON: false): return try finishXML()
        case .waiting(isJSON: true): return try JSONFeed.read(decoded().text, baseURL: hints.baseURL)
        case .streaming(let parser):
            flush(to: parser)
            parser.finish()
            if parser.firstError == nil, parser.builder.rootClosed { return try XMLFeed.make(parser, encoding: .utf8) }
            if let refusal = XMLFeed.refusal(parser) { throw refusal }
            return try finishXML(strict: parser)
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
        let label = labels(head: pending).lazy.compactMap { TextEncoding(label: $0) }.first { !$0.isWide }
        guard mark?.encoding ?? label ?? .utf8 == .utf8, TextEncoding.widePattern(pending) == nil else {
            stage = .waiting(isJSON: false)
            return
        }
        let parser = XMLPushParser(builder: FeedBuilder(baseURL: hints.baseURL), recovering: false)
        stage = .streaming(parser)
        pending.removeAll()
        var skip = mark?.length ?? 0
        for piece in kept {
            let start = min(skip, piece.count)
            skip -= start
            piece[start...].withUnsafeBufferPointer { parser.push($0) }
        }
    }

    private func flush(to parser: XMLPushParser) {
        pending.withUnsafeBufferPointer { parser.push($0) }
        pending.removeAll(keepingCapacity: true)
    }

    private func labels(head: [UInt8]) -> [String] {
        [TextEncoding.charset(ofContentType: hints.contentType), TextEncoding.declared(in: head)].compactMap { $0 }
    }

    private func decoded() -> (text: DecodedText, isEmpty: Bool) {
        let bytes = kept.count == 1 ? kept[0] : Array(kept.joined())
        kept = []
        pending = []
        let text = DecodedText(bytes, labels: labels(head: bytes))
        return (text, text.utf8.allSatisfy(Text.isBlank))
    }

    /// The slow path: decode, try strictly unless that was done, repair, read what there is.
    private func finishXML(strict: XMLPushParser? = nil) throws -> ParsedFeed {
        let usedEntities = strict?.usesEntities ?? false
        var strictError = strict?.firstError?.line
        stage = .head
        var (text, isEmpty) = decoded()
        if isEmpty { throw NotAFeed.empty }
        var isDamaged = strict != nil && !usedEntities
        if strict == nil {
            let parser = XMLPushParser(builder: FeedBuilder(baseURL: hints.baseURL), recovering: false)
            text.utf8.withUnsafeBufferPointer { parser.push($0) }
            parser.finish()
            if parser.firstError == nil, parser.builder.rootClosed {
                return try XMLFeed.make(parser, encoding: text.encoding, decoding: text)
            }
            if let refusal = XMLFeed.refusal(parser) { throw refusal }
            isDamaged = !parser.usesEntities
            strictError = parser.firstError?.line
        }
        var repair = Repair(text.utf8)
        text.utf8 = []
        try repair.run()
        let parser = XMLPushParser(builder: FeedBuilder(baseURL: hints.baseURL), recovering: true)
        repair.output.withUnsafeBufferPointer { parser.push($0) }
        parser.finish()
        if parser.builder.format == nil {
            throw XMLFeed.refusal(parser) ?? NotAFeed.notXML(line: strictError)
        }
        return try XMLFeed.make(parser, encoding: text.encoding, decoding: text, repair: repair, isDamaged: isDamaged)
    }
}

/// Puts a feed together from what the XML parser collected.
private enum XMLFeed {
    /// Why the document can be no feed, whatever a repair might do; nil where it may be one.
    static func refusal(_ parser: XMLPushParser) -> NotAFeed? {
        if parser.isTooDeep { return .tooDeep }
        guard let root = parser.builder.rejectedRoot else { return nil }
        return root.lowercased() == "html" ? .html : .unknownRoot(root)
    }

    static func make(
        _ parser: XMLPushParser, encoding: TextEncoding, decoding: DecodedText? = nil, repair: Repair? = nil,
        isDamaged: Bool = false
    ) throws -> ParsedFeed {
        if let refusal = refusal(parser) { throw refusal }
        guard let format = parser.builder.format else { throw NotAFeed.notXML(line: parser.firstError?.line) }
        let (channel, items) = parser.builder.finish()
        var warnings: [ParseWarning] = []
        for label in decoding?.refuted ?? [] {
            warnings.append(ParseWarning(code: "encoding", message: "the document is not in “\(label.prefix(40))”, as declared"))
        }
        if decoding?.isGuess == true {
            warnings.append(ParseWarning(code: "encoding", message: "the encoding is not declared, and is not UTF-8"))
        }
        if let replaced = decoding?.replaced, replaced > 0 {
            warnings.append(ParseWarning(code: "encoding", message: "\(replaced) bytes that mean nothing in \(encoding.name)"))
        }
        for warning in repair?.warnings.list ?? [] {
            warnings.append(ParseWarning(code: warning.code, message: warning.message, line: warning.line))
        }
        if !parser.builder.namespacesDeclared {
            warnings.append(ParseWarning(code: "namespace", message: "a namespace prefix is not declared"))
        }
        let isWellFormed =
            !isDamaged && (repair?.warnings.isEmpty ?? true) && parser.firstError == nil
            && parser.builder.namespacesDeclared && (decoding?.replaced ?? 0) == 0
        return ParsedFeed(
            format: format, version: parser.builder.version, encoding: encoding.name, wellFormed: isWellFormed,
            truncated: repair?.isTruncated ?? false, warnings: warnings + parser.builder.warnings, channel: channel,
            items: items)
    }
}

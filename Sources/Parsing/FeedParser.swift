public import Domain

/// Reads one feed document in any format, pushed in pieces: the module's front door.
///
/// The bytes go through libxml2 as they arrive, in a strict pass that takes them to be well-formed UTF-8. Only where
/// that fails are they decoded, repaired and read once more, from the copy that is kept until then.
public final class FeedParser: FeedParsing {
    private let hints: ParseHints
    private var kept: [[UInt8]] = []
    private var strict: XMLPushParser

    public init(_ hints: ParseHints = ParseHints()) {
        self.hints = hints
        strict = XMLPushParser(builder: FeedBuilder(baseURL: hints.baseURL), recovering: false)
    }

    public func push(_ bytes: [UInt8]) {
        kept.append(bytes)
        bytes.withUnsafeBufferPointer { strict.push($0) }
    }

    public func finish() throws -> ParsedFeed {
        strict.finish()
        let (channel, items) = strict.builder.finish()
        guard let format = strict.builder.format else { throw NotAFeed.notXML(line: nil) }
        return ParsedFeed(
            format: format, version: strict.builder.version, warnings: strict.builder.warnings, channel: channel,
            items: items)
    }
}

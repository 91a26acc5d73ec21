public import Domain
internal import JSON

/// The document that `jimmy parse` prints.
public struct ParsedFeedJSON {
    /// Raised when a key is renamed, removed or changes its meaning.
    public static let schema = 1

    public let bytes: [UInt8]

    public init(_ feed: ParsedFeed, pretty: Bool = false) {
        var json = JSONWriter(pretty: pretty)
        json.object {
            $0.integer("schema", Self.schema)
            $0.text("format", feed.format.rawValue)
            $0.text("version", feed.version)
            $0.text("encoding", feed.encoding)
            $0.flag("wellFormed", feed.wellFormed)
            $0.objects("warnings", feed.warnings)
            $0.object("podcast", feed.channel)
            $0.objects("episodes", feed.items)
        }
        json.endLine()
        bytes = json.bytes
    }
}

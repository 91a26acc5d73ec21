public import Domain
internal import JSON

/// The document that `jimmy parse` prints.
public struct ParsedFeedJSON {
    /// Must be raised whenever a key is renamed, removed or changes its meaning.
    public static let schema = 1

    private static let pieceSize = 64 << 10
    private let feed: ParsedFeed
    private let pretty: Bool

    public init(_ feed: ParsedFeed, pretty: Bool = false) {
        self.feed = feed
        self.pretty = pretty
    }

    /// Passes the document on in pieces, so that a feed of 100 MB does not need another 100 MB for its output.
    public func write(_ receive: ([UInt8]) -> Void) {
        var json = JSONWriter(pretty: pretty)
        json.object {
            $0.integer("schema", Self.schema)
            $0.text("format", feed.format.rawValue)
            $0.text("version", feed.version)
            $0.text("encoding", feed.encoding)
            $0.flag("wellFormed", feed.wellFormed)
            $0.objects("warnings", feed.warnings)
            $0.object("podcast", feed.channel)
            if feed.items.isEmpty { return }
            $0.key("episodes")
            $0.array {
                for feedItem in feed.items {
                    $0.value(feedItem.item)
                    guard $0.count >= Self.pieceSize else { continue }
                    receive($0.bytes)
                    $0.removeAll()
                }
            }
        }
        json.endLine()
        receive(json.bytes)
    }
}

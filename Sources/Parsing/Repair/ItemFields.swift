/// Decides which unclosed fields of a channel or an item are ended by the start of another one.
enum ItemFields {
    /// Fields that hold plain text.
    private static let plain: Set<String> = [
        "title", "link", "guid", "pubDate", "author", "category", "comments", "language", "copyright", "generator", "id",
        "updated", "published", "dc:creator", "dc:date",
    ]
    /// Fields that hold HTML, which some feeds do not escape.
    private static let rich: Set<String> = ["description", "content:encoded", "summary", "content", "itunes:summary"]
    /// Names that never occur in HTML.
    private static let distinct: Set<String> = [
        "guid", "pubDate", "enclosure", "content:encoded", "lastBuildDate", "dc:creator", "dc:date", "item", "entry",
    ]

    static func closes(_ start: String, _ open: String) -> Bool {
        let isDistinct = distinct.contains(start) || start.hasPrefix("itunes:") || start.hasPrefix("podcast:")
        if plain.contains(open) || open.hasPrefix("itunes:") && open != "itunes:owner" && open != "itunes:category" {
            return isDistinct || plain.contains(start) || rich.contains(start)
        }
        return rich.contains(open) && isDistinct
    }
}

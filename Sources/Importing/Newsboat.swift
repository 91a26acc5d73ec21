import Addresses
import Domain

/// newsboat's `cache.db`. Source: src/cache.cpp, up to version 2.30.
enum Newsboat {
    static func read(_ file: SQLiteFile) throws(ImportFailure) -> ForeignLibrary {
        var library = ForeignLibrary(.newsboat)
        var podcasts: [String: OPMLOutline] = [:]
        try file.rows(of: "rss_feed", ["rssurl", "title"], order: "rssurl") { row in
            guard let url = row.text(0) else { return }
            let outline = OPMLOutline(feedURL: url, title: row.text(1))
            podcasts[url] = outline
            library.outlines.append(outline)
        }
        let columns = ["guid", "title", "url", "feedurl", "unread", "enclosure_url", "enqueued", "flags"]
        var queued = 0
        try file.rows(of: "rss_item", columns, order: "id") { row in
            guard let podcast = row.text(3).flatMap({ podcasts[$0] }) else { return }
            var tags: Set<Tag> = []
            if row.integer(4) == 0 { tags.insert(.played) }
            // A flag is a letter that the user chose.
            for flag in row.text(7) ?? "" { if let tag = Tag("flag-\(flag)") { tags.insert(tag) } }
            var facts = LineFacts()
            if row.integer(6) != 0 {
                queued += 1
                facts.queuePlace = queued
            }
            library.add(tags, facts, of: [row.text(0), row.text(5), row.text(2)], row.text(1), in: podcast)
        }
        return library
    }
}

/// newsboat's list of feeds, `urls`: `URL tag "tag of words" "~title"`. Source: newsboat(1).
enum NewsboatURLs {
    /// nil if no line is of that form.
    static func read(_ text: String) -> ForeignLibrary? {
        var library = ForeignLibrary(.newsboat)
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = words(of: line)
            guard let url = words.first, !url.hasPrefix("#") else { continue }
            guard URLReference.isWeb(url), FeedURL.parse(url) != nil else {
                library.omissions.append(.notAFeed(line: number + 1, text: url))
                continue
            }
            let title = words.dropFirst().first { $0.hasPrefix("~") }.map { String($0.dropFirst()) }
            var outline = OPMLOutline(feedURL: url, title: title)
            outline.settings.title = title
            // `!` hides a feed from newsboat's list.
            outline.folders = words.dropFirst().filter { !$0.hasPrefix("~") && $0 != "!" }
            library.outlines.append(outline)
        }
        return library.outlines.isEmpty ? nil : library
    }

    /// Words divided by blanks; those in quotes may contain blanks.
    private static func words(of line: Substring) -> [String] {
        var words: [String] = []
        var remaining = line.drop { $0 == " " || $0 == "\t" }
        while let first = remaining.first {
            var word = ""
            if first == "\"" {
                remaining.removeFirst()
                while let next = remaining.popFirst(), next != "\"" {
                    word.append(next == "\\" ? remaining.popFirst() ?? next : next)
                }
            } else {
                word = String(remaining.prefix { $0 != " " && $0 != "\t" })
                remaining = remaining.dropFirst(word.count)
            }
            words.append(word)
            remaining = remaining.drop { $0 == " " || $0 == "\t" }
        }
        return words
    }
}

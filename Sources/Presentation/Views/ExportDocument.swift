import Addresses
public import Domain

/// Episodes as a document for other programs.
public struct ExportDocument {
    public enum Format: String, CaseIterable, Sendable {
        /// A podcast feed (RSS 2.0 with the itunes namespace), for podcast apps.
        case rss
        /// JSON Lines, as `jimmy episodes --json`.
        case json
        /// Comma-separated values with a heading. Source: RFC 4180.
        case csv
        /// A list of links.
        case markdown
    }

    public let text: String

    /// - Parameters:
    ///   - title: the document's title, if its format has one.
    ///   - bookmarks: those of the episodes, for Markdown.
    public init(_ format: Format, title: String, _ episodes: [ListedEpisode], bookmarks: [EpisodeID: [Bookmark]] = [:]) {
        switch format {
        case .rss: text = Self.rss(title, episodes)
        case .json: text = Self.lines { EpisodeListView(episodes).jsonLines($0) }
        case .csv: text = Self.csv(episodes)
        case .markdown: text = Self.markdown(title, episodes, bookmarks)
        }
    }

    private static func lines(_ body: ((String) -> Void) -> Void) -> String {
        var text = ""
        body { text += $0 + "\n" }
        return text
    }

    // MARK: RSS

    private static func rss(_ title: String, _ episodes: [ListedEpisode]) -> String {
        lines { line in
            line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
            line("<rss version=\"2.0\" xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">")
            line("<channel>")
            line("  <title>\(title.xmlEscaped)</title>")
            line("  <description>\(title.xmlEscaped)</description>")
            line("  <generator>jimmy</generator>")
            for listed in episodes { item(listed, line) }
            line("</channel>")
            line("</rss>")
        }
    }

    /// Uses the id as guid, since feeds of several podcasts may have the same guids.
    private static func item(_ listed: ListedEpisode, _ line: (String) -> Void) {
        let item = listed.episode.item
        func element(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { line("    <\(name)>\(value.xmlEscaped)</\(name)>") }
        }
        line("  <item>")
        line("    <guid isPermaLink=\"false\">\(listed.episode.id)</guid>")
        element("title", item.title)
        element("itunes:author", listed.podcast.displayTitle)
        element("link", item.webLink)
        element("pubDate", item.publishedAt?.rfc822)
        element("description", item.description ?? item.summary)
        element("itunes:duration", item.duration.map { String(Int($0)) })
        if let image = item.imageURL { line("    <itunes:image href=\"\(image.xmlEscaped)\"/>") }
        // RSS allows one enclosure per item.
        if let media = item.chosenEnclosure, let url = media.url {
            let type = (media.type ?? "audio/mpeg").xmlEscaped
            line("    <enclosure url=\"\(url.xmlEscaped)\" length=\"\(media.length ?? 0)\" type=\"\(type)\"/>")
        }
        line("  </item>")
    }

    // MARK: Tables and lists

    private static func csv(_ episodes: [ListedEpisode]) -> String {
        lines { line in
            line("id,podcast,title,publishedAt,seconds,link,media")
            for listed in episodes {
                let item = listed.episode.item
                let fields = [
                    listed.episode.id.text, listed.podcast.displayTitle, item.title ?? "", item.publishedAt?.description ?? "",
                    item.duration.map { String(Int($0)) } ?? "", item.webLink ?? "", item.chosenEnclosure?.url ?? "",
                ]
                line(fields.map(quoted).joined(separator: ","))
            }
        }
    }

    private static func quoted(_ field: String) -> String {
        let field = field.oneLine
        return field.contains(",") || field.contains("\"") ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
    }

    private static func markdown(
        _ title: String, _ episodes: [ListedEpisode], _ bookmarks: [EpisodeID: [Bookmark]]
    ) -> String {
        lines { line in
            line("# \(title.markdownEscaped)\n")
            for listed in episodes {
                let item = listed.episode.item
                let name = (item.title ?? "(no title)").markdownEscaped
                let target = item.webLink ?? item.chosenEnclosure?.url
                let link = target.map { Self.link(name, to: $0) } ?? name
                let facts = [
                    listed.podcast.displayTitle.markdownEscaped, item.publishedAt.map { String($0.description.prefix(10)) },
                    item.duration.map(formattedDuration),
                ]
                line("- \(link), \(facts.compactMap { $0 }.joined(separator: ", "))")
                for bookmark in bookmarks[listed.episode.id] ?? [] {
                    let time = formattedDuration(Double(bookmark.seconds))
                    let media = item.chosenEnclosure?.url
                    let start = media.map { url in Self.link(time, to: Self.playing(url, from: bookmark.seconds)) } ?? time
                    line("  - \(start)\(bookmark.note.isEmpty ? "" : " " + bookmark.note.markdownEscaped)")
                }
            }
        }
    }

    private static func link(_ name: String, to target: String) -> String {
        "[\(name)](<\(target.oneLine.replacing(">", with: "%3E"))>)"
    }

    /// The URL that plays from there. Source: W3C Media Fragments URI 1.0, section 4.2.1.
    private static func playing(_ url: String, from seconds: Int) -> String {
        "\(url.prefix { $0 != "#" })#t=\(seconds)"
    }
}

extension Item {
    /// The link, unless it is neither http nor https.
    fileprivate var webLink: String? { link.flatMap { WebURL($0) == nil ? nil : $0 } }
}

extension String {
    fileprivate var markdownEscaped: String {
        var result = ""
        for character in oneLine {
            if "\\`*_[]<>#".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }
}

extension Timestamp {
    /// `Wed, 17 Jun 2026 06:00:00 +0000`.
    fileprivate var rfc822: String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let p = parts
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(days[p.weekday]), \(two(p.day)) \(months[p.month - 1]) \(p.year)"
        return "\(date) \(two(p.hour)):\(two(p.minute)):\(two(p.second)) +0000"
    }
}

internal import Addresses
public import Domain
internal import HTML

/// Finds the feeds that a web page names.
public enum FeedLinks {
    /// Bytes of a page that are searched; feeds are named in its head.
    private static let maxPage = 1 << 20

    /// The feeds that the Link header and the `link` elements name, in this order; if there are none, the `a` elements that
    /// lead to a feed by their type, their URL or their words; if there are none either, where the page refreshes to.
    /// Feeds of comments are found only if the page leads nowhere else. URLs are resolved against the page's `base`, then
    /// its own URL.
    public static func find(_ html: [UInt8], _ hints: ParseHints) -> [FeedLink] {
        let page = html.count > maxPage ? Array(html[..<maxPage]) : html
        let labels = [TextEncoding.charset(ofContentType: hints.contentType), metaCharset(page)].compactMap { $0 }
        let text = DecodedText(page, labels: labels)
        let candidates = PageLinks(text.utf8.span, pageURL: hints.baseURL)
        let header = LinkHeader.links(hints.link ?? "").compactMap { link in
            feed(link.target, rel: link["rel"], type: link["type"], title: link["title"], base: hints.baseURL)
        }
        let groups = [header + candidates.links, candidates.anchors, candidates.refreshes].map { $0.uniqued(by: \.url) }
        let withoutComments = groups.lazy.map { group in group.filter { !isOfComments($0) } }
        return withoutComments.first { !$0.isEmpty } ?? groups.first { !$0.isEmpty } ?? []
    }

    /// The feed that a `link` element or a Link header names; nil if it names something else.
    static func feed(_ target: String, rel: String?, type: String?, title: String?, base: String?) -> FeedLink? {
        let rel = (rel ?? "").lowercased().split { $0.isWhitespace }
        let type = type?.trimmedValue
        let url = URLReference.resolve(target, against: base)
        let namesFeed = type.map(isFeedType) ?? false
        let isJSON = type?.lowercased().hasPrefix("application/json") == true
        let isFeed =
            rel.isEmpty || rel.contains("alternate")
            // Pages also have alternates in other languages, and WordPress its API as JSON.
            ? namesFeed || (type == nil && !rel.isEmpty || isJSON) && looksLikeFeed(url)
                || type == nil && rel.contains("alternate") && saysFeed(title ?? "")
            : rel.contains("feed") && (type == nil || namesFeed || isJSON)
        return isFeed && !rel.contains("stylesheet") ? FeedLink(url: url, title: title?.trimmedValue, type: type) : nil
    }

    /// True for the feed of a page's comments, as WordPress names it; `/the-comment-show/feed/` is a show.
    private static func isOfComments(_ link: FeedLink) -> Bool {
        let title = (link.title ?? "").lowercased()
        if commentTitles.contains(where: title.contains) { return true }
        let path = link.url.prefix { $0 != "?" && $0 != "#" }.lowercased().split(separator: "/")
        return path.suffix(2).elementsEqual(["comments", "feed"]) || path.suffix(2).elementsEqual(["comments", "default"])
            || path.last == "comments.xml"
    }

    /// As WordPress and Blogger title them.
    private static let commentTitles = [
        "comments feed", "comments on ", "kommentar-feed", "flux des commentaires", "feed de los comentarios",
        "feed dei commenti", "feed de comentários", "reactiesfeed", "kommentarsflöde",
    ]

    /// `<meta charset=…>` and the charset of `<meta http-equiv="Content-Type">`.
    private static func metaCharset(_ page: [UInt8]) -> String? {
        let head = String(decoding: page.prefix(1_024), as: UTF8.self).lowercased()
        guard let key = head.range(of: "charset=") else { return nil }
        let value = head[key.upperBound...].drop { $0 == "\"" || $0 == "'" }
        return String(value.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    }

    static func isFeedType(_ type: String) -> Bool {
        let type = type.prefix { $0 != ";" }.lowercased()
        return [
            "rss+xml", "atom+xml", "rdf+xml", "feed+json", "application/xml", "text/xml", "application/rss", "application/atom",
        ].contains {
            type.hasSuffix($0)
        }
    }

    /// True if the words of a link name a feed.
    static func saysFeed(_ words: String) -> Bool {
        let words = words.lowercased().split { !$0.isLetter }
        return words.contains("rss") || words.contains("feed") || words.contains("podcastfeed")
    }

    static func looksLikeFeed(_ url: String) -> Bool {
        let scheme = URLReference.scheme(of: url)
        if ["feed", "itpc", "pcast", "podcast"].contains(scheme) { return true }
        guard scheme == nil || URLReference.isWeb(url) else { return false }
        let path = url.prefix { $0 != "?" && $0 != "#" }.lowercased()
        if [".rss", ".rdf", ".atom", "/feed.xml", "/rss.xml", "/atom.xml", "/podcast.xml", "/feed.json"].contains(
            where: path.hasSuffix)
        {
            return true
        }
        let last = path.split(separator: "/").last
        return last == "feed" || last == "rss" || last == "atom" || path.contains("://feeds.")
    }
}

/// The links of a page that may lead to feeds.
private struct PageLinks {
    private(set) var links: [FeedLink] = []
    private(set) var anchors: [FeedLink] = []
    /// Where the page sends its visitors after a moment.
    private(set) var refreshes: [FeedLink] = []
    private var base: String?
    /// The `a` element that is open, and its text.
    private var anchor: FeedLink?
    private var words: [UInt8] = []
    private let pageURL: String?

    init(_ html: Span<UInt8>, pageURL: String?) {
        self.pageURL = pageURL
        var tokenizer = HTMLTokenizer()
        while let token = tokenizer.next(in: html) {
            switch token {
            case .start(let tag): read(tag, in: html)
            case .text(let range) where anchor != nil && words.count < 200:
                for index in range.prefix(200) { words.append(html[index]) }
            case .end(let tag) where tag.name == "a": endAnchor()
            default: break
            }
        }
    }

    /// Takes the `a` element if its words name a feed.
    private mutating func endAnchor() {
        defer { (anchor, words) = (nil, []) }
        guard let anchor else { return }
        if FeedLinks.saysFeed(String(decoding: words, as: UTF8.self)) { anchors.append(anchor) }
    }

    private mutating func read(_ tag: HTMLTag, in html: Span<UInt8>) {
        switch tag.name {
        case "base":
            if base == nil { base = url(of: tag, in: html) }
        case "link":
            guard let target = tag.attribute("href", in: html)?.trimmedValue else { return }
            let feed = FeedLinks.feed(
                target, rel: tag.attribute("rel", in: html), type: tag.attribute("type", in: html),
                title: tag.attribute("title", in: html), base: base ?? pageURL)
            if let feed { links.append(feed) }
        case "meta":
            guard tag.attribute("http-equiv", in: html)?.lowercased() == "refresh",
                let target = tag.attribute("content", in: html).flatMap(Self.refreshTarget)
            else { return }
            refreshes.append(FeedLink(url: URLReference.resolve(target, against: base ?? pageURL)))
        case "img" where anchor != nil:
            words += Array(" \(tag.attribute("alt", in: html) ?? "") ".utf8.prefix(200))
        case "a":
            endAnchor()
            guard let url = url(of: tag, in: html) else { return }
            let (title, type) = (tag.attribute("title", in: html)?.trimmedValue, tag.attribute("type", in: html)?.trimmedValue)
            let link = FeedLink(url: url, title: title, type: type)
            let rel = (tag.attribute("rel", in: html) ?? "").lowercased().split { $0.isWhitespace }
            let isFeed = FeedLinks.looksLikeFeed(url) || type.map(FeedLinks.isFeedType) ?? false || rel.contains("feed")
            if isFeed {
                anchors.append(link)
            } else if URLReference.isWeb(url) {
                anchor = link
                words = Array("\(title ?? "") \(tag.attribute("aria-label", in: html) ?? "") ".utf8.prefix(200))
            }
        default: break
        }
    }

    /// The URL in `5; url='/next'`; the words `url=` and the quotes may be left out. nil if the page refreshes itself.
    ///
    /// Source: "Refresh state" of the HTML standard.
    private static func refreshTarget(_ content: String) -> String? {
        let afterTime = content.drop { $0.isWhitespace || $0.isNumber || $0 == "." }
        guard let separator = afterTime.first, separator == ";" || separator == "," else { return nil }
        var target = afterTime.dropFirst().drop { $0.isWhitespace }
        if target.prefix(3).lowercased() == "url" {
            let value = target.dropFirst(3).drop { $0.isWhitespace }
            if value.first == "=" { target = value.dropFirst().drop { $0.isWhitespace } }
        }
        if let quote = target.first, quote == "'" || quote == "\"" { target = target.dropFirst().prefix { $0 != quote } }
        return String(target).trimmedValue
    }

    private func url(of tag: HTMLTag, in html: Span<UInt8>) -> String? {
        tag.attribute("href", in: html)?.trimmedValue.map { URLReference.resolve($0, against: base ?? pageURL) }
    }
}

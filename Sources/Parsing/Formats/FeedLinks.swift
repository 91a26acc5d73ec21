public import Domain
internal import HTML

/// Finds the feeds that a web page names.
public enum FeedLinks {
    /// Bytes of a page that are searched; feeds are named in its head.
    private static let maxPage = 1 << 20

    /// The feeds that the Link header and the `link` elements name, in this order; if there are none, the `a` elements that
    /// lead to a feed by their type, their URL or their words; if there are none either, where the page refreshes to.
    /// Feeds of comments come last. URLs are resolved against the page's `base`, then its own URL.
    public static func find(_ html: [UInt8], _ hints: ParseHints) -> [FeedLink] {
        let page = html.count > maxPage ? Array(html[..<maxPage]) : html
        let labels = [TextEncoding.charset(ofContentType: hints.contentType), metaCharset(page)].compactMap { $0 }
        let text = DecodedText(page, labels: labels)
        let candidates = PageLinks(text.utf8.span, pageURL: hints.baseURL)
        let links = headerLinks(hints) + candidates.links
        var seen: Set<String> = []
        let chosen = [links, candidates.anchors, candidates.refreshes].first { !$0.isEmpty } ?? []
        let distinct = chosen.filter { seen.insert($0.url).inserted }
        return distinct.filter { !isOfComments($0) } + distinct.filter(isOfComments)
    }

    /// Source: RFC 8288, `Link: <feed.xml>; rel="alternate"; type="application/rss+xml"`.
    private static func headerLinks(_ hints: ParseHints) -> [FeedLink] {
        (hints.link ?? "").split(separator: ",").compactMap { value in
            let parts = value.split(separator: ";")
            guard let target = parts.first?.drop(while: { $0 == " " }), target.hasPrefix("<"),
                let end = target.firstIndex(of: ">")
            else { return nil }
            var parameters: [String: String] = [:]
            for part in parts.dropFirst() {
                let pair = part.split(separator: "=", maxSplits: 1)
                guard pair.count == 2 else { continue }
                parameters[pair[0].filter { $0 != " " }.lowercased()] = pair[1].filter { $0 != "\"" }.trimmedValue
            }
            let rel = (parameters["rel"] ?? "").lowercased().split(separator: " ")
            guard rel.contains("alternate") || rel.contains("feed"), let type = parameters["type"], isFeedType(type) else {
                return nil
            }
            let url = URLReference.resolve(String(target[target.index(after: target.startIndex)..<end]), against: hints.baseURL)
            return FeedLink(url: url, title: parameters["title"], type: type)
        }
    }

    /// True for the feed of a page's comments, as WordPress names it; `/the-comment-show/feed/` is a show.
    private static func isOfComments(_ link: FeedLink) -> Bool {
        let title = (link.title ?? "").lowercased()
        if title.contains("comments feed") || title.contains("kommentar-feed") || title.contains("comments on ") { return true }
        let path = link.url.prefix { $0 != "?" && $0 != "#" }.lowercased().split(separator: "/")
        return path.suffix(2).elementsEqual(["comments", "feed"]) || path.last == "comments.xml"
    }

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
        let words = String(decoding: words, as: UTF8.self).lowercased().split { !$0.isLetter }
        if words.contains("rss") || words.contains("feed") || words.contains("podcastfeed") { anchors.append(anchor) }
    }

    private mutating func read(_ tag: HTMLTag, in html: Span<UInt8>) {
        switch tag.name {
        case "base":
            if base == nil { base = url(of: tag, in: html) }
        case "link":
            let rel = (tag.attribute("rel", in: html) ?? "").lowercased().split { $0.isWhitespace }
            guard !rel.contains("stylesheet"), let url = url(of: tag, in: html) else { return }
            let type = tag.attribute("type", in: html)?.trimmedValue
            let namesFeed = type.map(FeedLinks.isFeedType) ?? false
            let isJSON = type?.lowercased() == "application/json"
            let isFeed =
                rel.isEmpty || rel.contains("alternate")
                ? namesFeed || (type == nil && !rel.isEmpty || isJSON) && FeedLinks.looksLikeFeed(url)
                : rel.contains("feed") && (type == nil || namesFeed)
            if isFeed { links.append(FeedLink(url: url, title: tag.attribute("title", in: html)?.trimmedValue, type: type)) }
        case "meta":
            guard tag.attribute("http-equiv", in: html)?.lowercased() == "refresh",
                let content = tag.attribute("content", in: html), let key = content.lowercased().firstRange(of: "url=")
            else { return }
            // Lower case changes no length here, since only ASCII comes before the URL.
            let target = content.dropFirst(
                content.lowercased().distance(from: content.lowercased().startIndex, to: key.upperBound))
            let url = target.filter { $0 != "'" && $0 != "\"" }.trimmedValue
            if let url { refreshes.append(FeedLink(url: URLReference.resolve(url, against: base ?? pageURL))) }
        case "a":
            endAnchor()
            guard let url = url(of: tag, in: html) else { return }
            let (title, type) = (tag.attribute("title", in: html)?.trimmedValue, tag.attribute("type", in: html)?.trimmedValue)
            let link = FeedLink(url: url, title: title, type: type)
            let rel = (tag.attribute("rel", in: html) ?? "").lowercased().split { $0.isWhitespace }
            let isFeed = FeedLinks.looksLikeFeed(url) || type.map(FeedLinks.isFeedType) ?? false || rel.contains("feed")
            if isFeed { anchors.append(link) } else if URLReference.isWeb(url) { anchor = link }
        default: break
        }
    }

    private func url(of tag: HTMLTag, in html: Span<UInt8>) -> String? {
        tag.attribute("href", in: html)?.trimmedValue.map { URLReference.resolve($0, against: base ?? pageURL) }
    }
}

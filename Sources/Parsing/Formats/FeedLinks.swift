public import Domain
internal import HTML

/// Finds the feeds that a web page names.
public enum FeedLinks {
    /// Bytes of a page that are searched; feeds are named in its head.
    private static let maxPage = 1 << 20

    /// The `link` elements with a feed's type, in document order; if there are none, the `a` elements whose URL looks
    /// like a feed's. URLs are resolved against the page's `base`, then its own URL.
    public static func find(_ html: [UInt8], _ hints: ParseHints) -> [FeedLink] {
        let page = html.count > maxPage ? Array(html[..<maxPage]) : html
        let labels = [TextEncoding.charset(ofContentType: hints.contentType), metaCharset(page)].compactMap { $0 }
        let text = DecodedText(page, labels: labels)
        let candidates = PageLinks(text.utf8.span, pageURL: hints.baseURL)
        var seen: Set<String> = []
        return (candidates.links.isEmpty ? candidates.anchors : candidates.links).filter { seen.insert($0.url).inserted }
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
        return ["rss+xml", "atom+xml", "rdf+xml", "feed+json", "application/xml", "text/xml"].contains { type.hasSuffix($0) }
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
    private var base: String?
    private let pageURL: String?

    init(_ html: Span<UInt8>, pageURL: String?) {
        self.pageURL = pageURL
        var tokenizer = HTMLTokenizer()
        while let token = tokenizer.next(in: html) {
            if case .start(let tag) = token { read(tag, in: html) }
        }
    }

    private mutating func read(_ tag: HTMLTag, in html: Span<UInt8>) {
        switch tag.name {
        case "base":
            if base == nil { base = url(of: tag, in: html) }
        case "link":
            let rel = (tag.attribute("rel", in: html) ?? "").lowercased().split { $0.isWhitespace }
            guard rel.contains("alternate") || rel.contains("feed"), !rel.contains("stylesheet") else { return }
            let type = tag.attribute("type", in: html)?.trimmedValue
            if type.map(FeedLinks.isFeedType) ?? rel.contains("feed"), let url = url(of: tag, in: html) {
                links.append(FeedLink(url: url, title: tag.attribute("title", in: html)?.trimmedValue, type: type))
            }
        case "a":
            guard let url = url(of: tag, in: html), FeedLinks.looksLikeFeed(url) else { return }
            let (title, type) = (tag.attribute("title", in: html)?.trimmedValue, tag.attribute("type", in: html)?.trimmedValue)
            anchors.append(FeedLink(url: url, title: title, type: type))
        default: break
        }
    }

    private func url(of tag: HTMLTag, in html: Span<UInt8>) -> String? {
        tag.attribute("href", in: html)?.trimmedValue.map { URLReference.resolve($0, against: base ?? pageURL) }
    }
}

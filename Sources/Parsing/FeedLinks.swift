internal import CLibXML
public import Domain

/// Finds the feeds that a web page names.
public enum FeedLinks {
    /// Pages are read this far: feeds are named in their heads.
    private static let maxPage = 1 << 20

    /// `link` elements of a feed's type, in document order; only where there are none, `a` elements whose URL looks
    /// like a feed's. URLs are resolved against the page's `base`, then its own URL.
    public static func find(_ html: [UInt8], _ hints: ParseHints) -> [FeedLink] {
        let page = html.count > maxPage ? Array(html[..<maxPage]) : html
        let labels = [TextEncoding.charset(ofContentType: hints.contentType), metaCharset(page)].compactMap { $0 }
        let text = DecodedText(page, labels: labels)
        let found = HTMLLinkScanner.scan(text.utf8, baseURL: hints.baseURL)
        var seen: Set<String> = []
        return (found.links.isEmpty ? found.anchors : found.links).filter { seen.insert($0.url).inserted }
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

/// libxml2's HTML parser, asked for three elements only. The one owner of its pointers.
private struct HTMLLinkScanner {
    private(set) var links: [FeedLink] = []
    private(set) var anchors: [FeedLink] = []
    private var base: String?
    private let pageURL: String?
    private var depth = 0
    private var context: htmlParserCtxtPtr?

    /// Pages nest deeper than feeds; beyond this only to do harm.
    private static let maxDepth = 512

    static func scan(_ utf8: [UInt8], baseURL: String?) -> (links: [FeedLink], anchors: [FeedLink]) {
        xmlInitParser()
        let state = UnsafeMutablePointer<HTMLLinkScanner>.allocate(capacity: 1)
        state.initialize(to: HTMLLinkScanner(pageURL: baseURL))
        defer {
            state.deinitialize(count: 1)
            state.deallocate()
        }
        var handler = handler
        guard let context = htmlCreatePushParserCtxt(&handler, state, nil, 0, nil, XML_CHAR_ENCODING_UTF8) else {
            return ([], [])
        }
        defer {
            if let document = context.pointee.myDoc { xmlFreeDoc(document) }
            htmlFreeParserCtxt(context)
        }
        state.pointee.context = context
        htmlCtxtUseOptions(context, Int32(HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue))
        let pieceSize = 64 << 10
        for start in stride(from: 0, to: utf8.count, by: pieceSize) {
            utf8[start..<min(start + pieceSize, utf8.count)].withUnsafeBytes {
                _ = htmlParseChunk(context, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), 0)
            }
        }
        htmlParseChunk(context, nil, 0, 1)
        return (state.pointee.links, state.pointee.anchors)
    }

    private init(pageURL: String?) { self.pageURL = pageURL }

    private static var handler: htmlSAXHandler {
        var sax = htmlSAXHandler()
        sax.initialized = UInt32(XML_SAX2_MAGIC)
        sax.startElement = { user, name, attributes in
            guard let state = user?.assumingMemoryBound(to: HTMLLinkScanner.self), let name else { return }
            state.pointee.depth += 1
            if state.pointee.depth > HTMLLinkScanner.maxDepth { xmlStopParser(state.pointee.context) }
            state.pointee.start(name, attributes)
        }
        sax.endElement = { user, _ in
            user?.assumingMemoryBound(to: HTMLLinkScanner.self).pointee.depth -= 1
        }
        sax.serror = { _, _ in }
        return sax
    }

    private mutating func start(_ name: UnsafePointer<xmlChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) {
        let element = Text(cString: name)
        let isLink = element.isWord("link")
        guard isLink || element.isWord("a") || element.isWord("base") else { return }
        var values: [String: String] = [:]
        var index = 0
        while let key = attributes?[index] {
            if let value = attributes?[index + 1] { values[String(cString: key)] = String(cString: value).trimmedValue }
            index += 2
        }
        guard let href = values["href"] else { return }
        let url = URLReference.resolve(href, against: base ?? pageURL)
        if element.isWord("base") {
            if base == nil { base = url }
        } else if isLink {
            let rel = (values["rel"] ?? "").lowercased().split(separator: " ")
            guard rel.contains("alternate") || rel.contains("feed"), !rel.contains("stylesheet") else { return }
            if values["type"].map(FeedLinks.isFeedType) ?? rel.contains("feed") {
                links.append(FeedLink(url: url, title: values["title"], type: values["type"]))
            }
        } else if FeedLinks.looksLikeFeed(url) {
            anchors.append(FeedLink(url: url, title: values["title"], type: values["type"]))
        }
    }
}

/// The vocabularies of the parser, with all spellings of their names in feeds.
enum Namespace: String, CaseIterable {
    /// RSS 0.9x and 2.0 have no namespace; RSS 0.90, 1.0 and 1.1 do.
    case rss = ""
    case atom, itunes, podcast, media, dc, dcterms, content, sy, psc, cc, rdf, xhtml, fh, enc
    case unknown = "?"

    /// Namespace names as they appear in feeds, without `http://`, `https://` or `www.`, in lower case
    /// and without a slash or hash at their end.
    private static let spellings: [(StaticString, Namespace)] = [
        ("purl.org/rss/1.0", .rss),
        ("purl.org/net/rss1.1", .rss),
        ("my.netscape.com/rdf/simple/0.9", .rss),
        ("channel.netscape.com/rdf/simple/0.9", .rss),
        ("my.netscape.com/publish/formats/rss-0.91.dtd", .rss),
        ("backend.userland.com/rss", .rss),
        ("backend.userland.com/rss2", .rss),
        ("backend.userland.com/rss091", .rss),
        ("backend.userland.com/rss092", .rss),
        ("blogs.law.harvard.edu/tech/rss", .rss),
        ("cyber.law.harvard.edu/rss/rss.html", .rss),

        ("w3.org/2005/atom", .atom),
        ("w3.org/2005/atom/api", .atom),
        ("purl.org/atom/ns", .atom),
        ("purl.org/atom", .atom),
        ("example.com/newformat", .atom),
        ("example.com/necho", .atom),
        ("purl.org/echo", .atom),
        ("uri/of/echo/namespace", .atom),
        ("purl.org/pie", .atom),
        ("intertwingly.net/blog/1506.html", .atom),

        ("itunes.com/dtds/podcast-1.0.dtd", .itunes),
        ("itunes.com/dtds/podcast-1.0", .itunes),
        ("itunes.apple.com/dtds/podcast-1.0.dtd", .itunes),
        ("example.com/dtds/podcast-1.0.dtd", .itunes),
        ("itunes.com/dtds/podcast-1.1.dtd", .itunes),

        ("podcastindex.org/namespace/1.0", .podcast),
        ("github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md", .podcast),
        ("github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0", .podcast),

        ("search.yahoo.com/mrss", .media),
        ("search.yahoo.com/mrss/1.0", .media),
        ("search.yahoo.com/rss", .media),
        ("video.search.yahoo.com/mrss", .media),
        ("tools.search.yahoo.com/mrss", .media),
        ("rssboard.org/media-rss", .media),

        ("purl.org/dc/elements/1.1", .dc),
        ("purl.org/dc/elements/1.0", .dc),
        ("purl.org/dc", .dc),
        ("purl.org/metadata/dublin_core", .dc),
        ("purl.org/dc/terms", .dcterms),
        ("purl.org/rss/1.0/modules/content", .content),
        ("purl.org/rss/1.0/modules/syndication", .sy),
        ("purl.org/rss/1.0/modules/dc", .dc),
        ("purl.org/rss/1.0/modules/dcterms", .dcterms),
        ("podlove.org/simple-chapters", .psc),
        ("podlove.de/simple-chapters", .psc),
        ("backend.userland.com/creativecommonsrssmodule", .cc),
        ("web.resource.org/cc", .cc),
        ("creativecommons.org/ns", .cc),
        ("cyber.law.harvard.edu/rss/creativecommonsrssmodule.html", .cc),
        ("w3.org/1999/02/22-rdf-syntax-ns", .rdf),
        ("w3.org/1999/xhtml", .xhtml),
        ("purl.org/syndication/history/1.0", .fh),
        ("purl.oclc.org/net/rss_2.0/enc", .enc),
    ]

    /// Prefixes that feeds use without declaring them.
    private static let prefixes: [(StaticString, Namespace)] = [
        ("atom", .atom), ("atom10", .atom), ("a10", .atom), ("itunes", .itunes), ("podcast", .podcast), ("media", .media),
        ("dc", .dc), ("dcterms", .dcterms), ("dct", .dcterms), ("content", .content), ("sy", .sy), ("psc", .psc),
        ("cc", .cc), ("creativecommons", .cc), ("rdf", .rdf), ("xhtml", .xhtml), ("fh", .fh), ("rss", .rss), ("enc", .enc),
    ]

    init(uri: Text) {
        var name = uri
        for start in ["http://", "https://", "www."] as [StaticString] { name.drop(start) }
        while let last = name.bytes.last, last == UInt8(ascii: "/") || last == UInt8(ascii: "#") {
            name = name[0..<name.count - 1].trimmed
        }
        self = Self.find(name, in: Self.spellings)
    }

    init(undeclaredPrefix prefix: Text) {
        self = Self.find(prefix, in: Self.prefixes)
    }

    /// A linear search: a document has a handful of namespaces, and each is looked up once.
    private static func find(_ name: Text, in table: [(StaticString, Namespace)]) -> Namespace {
        table.first { name.isWord($0.0) }?.1 ?? .unknown
    }
}

extension Text {
    /// Removes a prefix, given in lower case, in any letter case.
    fileprivate mutating func drop(_ start: StaticString) {
        let length = start.utf8CodeUnitCount
        guard count >= length, self[0..<length].trimmed.isWord(start) else { return }
        self = self[length..<count].trimmed
    }
}

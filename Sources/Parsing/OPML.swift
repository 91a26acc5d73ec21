public import Domain

/// Reads OPML subscription lists, which are made by hand as often as by programs.
public enum OPML {
    /// The subscriptions in document order, repeats included.
    ///
    /// Any encoding, any letter case of the attributes, bare ampersands and other damage.
    /// Source: http://opml.org/spec2.opml
    /// - Throws: `NotOPML`.
    public static func read(_ bytes: [UInt8]) throws -> [OPMLOutline] {
        let labels = [TextEncoding.declared(in: bytes)].compactMap { $0 }
        do {
            let document = try XMLDocument(
                DecodedText(bytes, labels: labels), baseURL: nil, purpose: .outlines)
            return document.parser.builder.outlines
        } catch let reason as NotAFeed {
            throw NotOPML(reason)
        }
    }
}

extension NotOPML {
    fileprivate init(_ reason: NotAFeed) {
        switch reason {
        case .empty: self = .empty
        case .html: self = .unknownRoot("html")
        case .notXML(let line): self = .notXML(line: line)
        case .unknownRoot(let root): self = .unknownRoot(root)
        case .tooDeep: self = .tooDeep
        case .entityExpansion: self = .entityExpansion
        }
    }
}

extension Vocabulary {
    static let outlineElements: [Rule] = [
        .parent("body", in: [.outlines], of: .outlines),
        .parent("outline", in: [.outlines], of: .outlines, open: { $0.openOutline($1) }, close: { $0.closeOutline() }),
    ]
}

extension FeedBuilder {
    /// An outline with a feed URL is a subscription, and a folder for what stands inside it.
    mutating func openOutline(_ element: Element) {
        let attributes = element.attributes
        let title = attributes.text(ignoringCase: "text").value ?? attributes.text(ignoringCase: "title").value
        var url = attributes.text(ignoringCase: "xmlurl")
        let type = attributes.text(ignoringCase: "type")
        if url.isEmpty, type.isWord("rss") || type.isWord("atom") || type.isWord("podcast") {
            url = attributes.text(ignoringCase: "url")
        }
        if !url.isEmpty {
            outlines.append(OPMLOutline(feedURL: resolve(url.string), title: title, folders: folders.compactMap { $0 }))
        }
        folders.append(title)
    }

    mutating func closeOutline() {
        _ = folders.popLast()
    }
}

public import Domain

/// Reads OPML subscription lists, which are made by hand as often as by programs.
public enum OPML {
    /// Accepts any encoding, attribute names in any case, bare ampersands and other damage.
    /// Source: http://opml.org/spec2.opml
    /// - Throws: `NotOPML`.
    public static func read(_ bytes: [UInt8]) throws -> OPMLList {
        let labels = [TextEncoding.declared(in: bytes)].compactMap { $0 }
        do {
            let document = try XMLDocument(
                DecodedText(bytes, labels: labels), baseURL: nil, purpose: .outlines)
            return OPMLList(outlines: document.parser.builder.outlines, isTruncated: document.isTruncated)
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
        case .tooLarge: self = .tooLarge
        }
    }
}

extension FeedVocabulary {
    static let outlineElements: [Rule] = [
        .parent("body", in: [.outlines], of: .outlines),
        .parent("outline", in: [.outlines], of: .outlines, open: { $0.openOutline($1) }, close: { $0.closeOutline() }),
    ]
}

extension FeedBuilder {
    /// An outline with a feed URL is a subscription, and a folder for the outlines inside it.
    mutating func openOutline(_ element: Element) {
        let attributes = element.attributes
        let title = attributes.text(ignoringCase: "text")?.value ?? attributes.text(ignoringCase: "title")?.value
        var url = attributes.text(ignoringCase: "xmlurl") ?? .none
        let type = attributes.text(ignoringCase: "type") ?? .none
        if url.isEmpty, type.isWord("rss") || type.isWord("atom") || type.isWord("podcast") {
            url = attributes.text(ignoringCase: "url") ?? .none
        }
        addressless = nil
        if !url.isEmpty {
            outlines.append(OPMLOutline(feedURL: resolve(url.string), title: title, folders: folders.compactMap { $0 }))
        } else if attributes.text(ignoringCase: "xmlurl") != nil {
            addressless = OPMLOutline(feedURL: "", title: title, folders: folders.compactMap { $0 })
        }
        folders.append(title)
    }

    mutating func closeOutline() {
        if let addressless { outlines.append(addressless) }
        addressless = nil
        _ = folders.popLast()
    }
}

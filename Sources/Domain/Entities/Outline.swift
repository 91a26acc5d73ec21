/// A subscription list, as much of it as is there.
public struct OPMLList: Hashable, Sendable {
    /// In document order, repeats included.
    public var outlines: [OPMLOutline]
    /// The document ends too early: more may have stood there.
    public var isTruncated: Bool

    public init(outlines: [OPMLOutline], isTruncated: Bool = false) {
        self.outlines = outlines
        self.isTruncated = isTruncated
    }
}

/// One subscription of an OPML list.
public struct OPMLOutline: Hashable, Sendable {
    /// As written; empty where the list has the attribute and nothing in it.
    public var feedURL: String
    public var title: String?
    /// The titles of the outlines around it, outermost first.
    public var folders: [String]

    public init(feedURL: String, title: String? = nil, folders: [String] = []) {
        self.feedURL = feedURL
        self.title = title
        self.folders = folders
    }
}

/// Why a file is no OPML list.
public enum NotOPML: Error, Hashable, Sendable {
    case empty
    case notXML(line: Int?)
    case unknownRoot(String)
    case tooDeep
    case entityExpansion
}

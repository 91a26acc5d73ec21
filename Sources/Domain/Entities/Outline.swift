public import Addresses

/// A subscription list, possibly cut off.
public struct OPMLList: Equatable, Sendable {
    /// In document order, repeats included.
    public var outlines: [OPMLOutline]
    /// True if the document ends early, so that entries may be missing.
    public var isTruncated: Bool

    public init(outlines: [OPMLOutline], isTruncated: Bool = false) {
        self.outlines = outlines
        self.isTruncated = isTruncated
    }
}

/// One subscription of an OPML list.
public struct OPMLOutline: Equatable, Sendable {
    /// As written; empty if the attribute is empty.
    public var feedURL: String
    public var title: String?
    /// Titles of the enclosing outlines, outermost first.
    public var folders: [String]
    /// What else another program says about the podcast; its tags are those of the folders.
    public var settings = PodcastSettings()
    /// Those in the URL win.
    public var credentials: Credentials?

    public init(feedURL: String, title: String? = nil, folders: [String] = []) {
        self.feedURL = feedURL
        self.title = title
        self.folders = folders
    }
}

/// Why a file is not an OPML list.
public enum NotOPML: Error, Equatable, Sendable {
    case empty
    case notXML(line: Int?)
    case unknownRoot(String)
    case tooDeep
    case entityExpansion
    /// It would exceed the memory limit for one list.
    case tooLarge
}

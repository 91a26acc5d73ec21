/// One subscription of an OPML list.
public struct OPMLOutline: Hashable, Sendable {
    /// As written.
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

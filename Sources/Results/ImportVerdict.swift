public import Domain

/// The result for one outline of an imported list.
public struct ImportVerdict: Sendable {
    public enum Kind: String, Sendable {
        case added
        case existing = "known"
        /// Not the address of a feed.
        case badURL
        /// A page of a podcast directory, whose feed can only be found through the network.
        case directoryPage
        /// A file of this machine, which only the user may name, not a list from elsewhere.
        case localFile
    }

    public var kind: Kind
    public var outline: OPMLOutline
    public var podcast: Podcast?

    package init(kind: Kind, outline: OPMLOutline) { (self.kind, self.outline) = (kind, outline) }
}

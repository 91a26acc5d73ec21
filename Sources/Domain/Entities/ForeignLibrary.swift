/// What a file of another podcast program holds, in jimmy's terms.
public struct ForeignLibrary: Sendable {
    public enum Program: String, Sendable {
        case gPodder, newsboat
        case antennaPod = "AntennaPod"
        case opml = "OPML"
    }

    public var program: Program
    public var outlines: [OPMLOutline] = []
    /// The episodes about which the program knows something.
    public var lines: [TagLine] = []
    public var omissions: [ForeignOmission] = []
    /// True if the file ends early.
    public var isTruncated = false

    public init(_ program: Program) { self.program = program }
}

/// What was not taken from a file of another program.
public enum ForeignOmission: Equatable, Sendable {
    /// An entry of a list that is no feed on the web.
    case notAFeed(line: Int, text: String)
    /// A podcast that is not on the web.
    case localPodcast(title: String)
    /// An episode that nothing identifies.
    case namelessEpisode(podcast: String, title: String)
    /// Files that stay where they are.
    case downloads(Int)
}

/// Why a file of another program could not be read.
public enum ImportFailure: Error, Equatable, Sendable {
    /// Neither a database of a known program nor a list of feeds.
    case unknownFormat
    /// A database comes through standard input.
    case needsFile
    /// libsqlite3 is missing.
    case noLibrary(errno: Int32)
    case damaged
    /// Its program is writing it.
    case busy
    case denied
    case failed
}

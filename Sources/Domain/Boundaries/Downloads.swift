/// Records of downloaded files and of failed downloads.
public protocol DownloadRepository: Sendable {
    /// All entries.
    func downloads() async throws -> [EpisodeID: DownloadEntry]
    /// The entries of these episodes; those without one are left out.
    func downloads(of episodes: [EpisodeID]) async throws -> [EpisodeID: DownloadEntry]
    /// Replaces these entries and gives their episodes the tag `downloaded`, or takes it away.
    func store(_ entries: [DownloadEntry]) async throws
}

public struct DownloadEntry: Equatable, Sendable {
    public var episodeID: EpisodeID
    /// The finished file as jimmy wrote it; nil if there is none.
    public var file: DownloadedFile?
    /// Failures in a row since the last success.
    public var failures = 0
    /// Until then, only a run that names the episode tries again.
    public var retryAt: Timestamp?
    /// True if the file was deleted to make room. It is downloaded again only if its owner asks for it.
    public var isDropped = false

    public init(_ episodeID: EpisodeID) { self.episodeID = episodeID }
}

public struct DownloadedFile: Equatable, Sendable {
    /// Absolute.
    public var path: String
    public var bytes: Int
    /// Seconds since 1970.
    public var modifiedAt: Timestamp

    public init(path: String, bytes: Int, modifiedAt: Timestamp) {
        (self.path, self.bytes, self.modifiedAt) = (path, bytes, modifiedAt)
    }
}

/// The media files on disk. Files may be written from any thread; failures are thrown as `LibraryFailure.io`.
public protocol MediaFiles: Sendable {
    /// nil if there is no file.
    func file(at path: String) throws -> DownloadedFile?
    /// Names of all files in the folder of `path`.
    func names(beside path: String) throws -> [String]
    /// The finished file at `path`, if an earlier run stored it for this episode but ended before recording it.
    func unreported(_ path: String, of episode: EpisodeID) throws -> DownloadedFile?
    /// The file at `path`, unless an earlier run stored it for an episode but ended before recording it.
    func unclaimed(_ path: String) throws -> DownloadedFile?
    /// What is left of a folder that had files.
    func standing(of folder: String) throws -> MediaFolderStanding
    /// Notes that the folder is the one that has the files, so that another disk in its place is noticed.
    func noteStanding(of folder: String)
    /// Drops the note about a finished file, once the file is recorded.
    func settle(_ path: String) throws
    /// Deletes a file and returns true, unless the file has changed since it was written.
    func remove(_ file: DownloadedFile) throws -> Bool
    /// Opens the unfinished file for `path`, creating it if needed. May also throw `MediaFileBusy`.
    func open(_ path: String, of episode: EpisodeID) throws -> any UnfinishedFile
}

public enum MediaFolderStanding: Equatable, Sendable {
    case usual
    /// It does not exist, or has no files.
    case empty
    /// It is on another device than before.
    case otherDevice
}

/// Writes what is known of an episode into its file.
public protocol MediaTagWriting: Sendable {
    /// - Returns: the file as it is now; it has not changed if its format has no tags.
    /// - Throws: `MediaTagFailure`; the file has not changed then.
    func write(_ tags: MediaTags, into file: DownloadedFile) async throws -> DownloadedFile
}

/// What a player shows of a file.
public struct MediaTags: Equatable, Sendable {
    public var title: String?
    public var podcast: String
    public var author: String?
    public var publishedAt: Timestamp?
    /// A JPEG or PNG picture.
    public var cover: [UInt8]?
    public var chapters: [PlayableChapter] = []
    /// Seconds.
    public var duration: Double?

    public init(podcast: String) { self.podcast = podcast }
}

public enum MediaTagFailure: Error, Equatable, Sendable {
    /// The program that writes tags failed.
    case program(name: String, status: Int32?)
    case io(errno: Int32)
}

/// Another run is writing the file, or has just finished it.
public struct MediaFileBusy: Error {
    public init() {}
}

/// The partial file `path.part`, with the facts that tell whether the server still has the same file.
public protocol UnfinishedFile: AnyObject, Sendable {
    /// Bytes stored; 0 if the remainder cannot be requested.
    var bytes: Int { get }
    /// The version of the server's file that the bytes belong to.
    var source: MediaSourceState? { get }
    /// Drops the stored bytes and starts over.
    func begin(_ source: MediaSourceState) throws
    func append(_ bytes: [UInt8]) throws
    /// The digest of all bytes, such as `SHA256`; nil if this machine cannot compute it.
    func digest(_ name: String) throws -> [UInt8]?
    /// At most `count` of the first bytes.
    func beginning(_ count: Int) throws -> [UInt8]
    /// Makes the bytes durable, then gives the file its name.
    ///
    /// - Parameter path: in the folder of the path that the file was opened for.
    func finish(as path: String, modifiedAt: Timestamp?) throws -> DownloadedFile
    /// Deletes the partial file and its note.
    func discard() throws
}

/// A version of a file on a server.
public struct MediaSourceState: Equatable, Sendable {
    public var url: String
    public var etag: String?
    public var lastModified: String?

    public init(url: String, etag: String?, lastModified: String?) {
        (self.url, self.etag, self.lastModified) = (url, etag, lastModified)
    }

    /// The validator for requesting the remainder, never a weak ETag; nil if the file must be fetched from its
    /// beginning.
    public var validator: String? {
        if let etag { return etag.hasPrefix("W/") ? nil : etag }
        return lastModified
    }
}

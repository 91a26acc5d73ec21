/// What is known of downloaded files, and of downloads that failed.
public protocol DownloadRepository: Sendable {
    /// Every entry that says anything.
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
    /// How often in a row it failed since.
    public var failures = 0
    /// Runs that do not name it leave it alone until then.
    public var retryAt: Timestamp?
    /// It was deleted to make room, and is fetched again only if its owner asks for it.
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

/// The files on the disk. They may be written from any thread; what fails throws `LibraryFailure.io`.
public protocol MediaFiles: Sendable {
    /// nil if there is no file.
    func file(at path: String) throws -> DownloadedFile?
    /// Names that are taken in the folder of `path`.
    func names(beside path: String) throws -> [String]
    /// The finished file at `path` that was stored for this episode by a run which ended before it could say so.
    func unreported(_ path: String, of episode: EpisodeID) throws -> DownloadedFile?
    /// The finished file is reported: what was noted about it is no longer needed.
    func settle(_ path: String) throws
    /// Deletes a file, unless it is no longer the one that was written. False if it was changed.
    func remove(_ file: DownloadedFile) throws -> Bool
    /// Takes up the unfinished file for `path`, or begins one. Throws `MediaFileBusy` too.
    func open(_ path: String, of episode: EpisodeID) throws -> any UnfinishedFile
}

/// Another run writes the file, or has just finished it.
public struct MediaFileBusy: Error {
    public init() {}
}

/// `path.part`, and what tells whether the server still has the same file.
public protocol UnfinishedFile: AnyObject, Sendable {
    /// Bytes that are there; 0 if the rest cannot be asked for.
    var bytes: Int { get }
    /// What the server said of the file that the bytes are from.
    var source: MediaSourceState? { get }
    /// Drops what is there and begins again.
    func begin(_ source: MediaSourceState) throws
    func append(_ bytes: [UInt8]) throws
    /// The digest of all bytes, such as `SHA256`; nil if this machine cannot compute it.
    func digest(_ name: String) throws -> [UInt8]?
    /// At most so many of its first bytes.
    func beginning(_ count: Int) throws -> [UInt8]
    /// Makes the bytes durable, then gives the file its name.
    func finish(modifiedAt: Timestamp?) throws -> DownloadedFile
    /// Leaves nothing behind.
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

    /// What a request for the rest carries: never a weak ETag. nil if the file must be fetched from its beginning.
    public var validator: String? {
        if let etag { return etag.hasPrefix("W/") ? nil : etag }
        return lastModified
    }
}

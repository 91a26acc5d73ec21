public import Domain
import FileSystem
import Glibc

/// The folder of downloaded and unfinished files. Front door of this module.
///
/// Beside a finished file `NAME` there may be `NAME.part`, and `.jimmy-HASH`, a note on the episode and the server's
/// version that the bytes belong to.
public struct MediaFolder: MediaFiles {
    /// The file that remembers the folder's device; nil for none.
    private let memory: String?

    public init(memory: String? = nil) { self.memory = memory }

    public func file(at path: String) throws -> DownloadedFile? {
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw LibraryFailure.io(file: path, operation: "stat", errno: errno)
        }
        guard facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return DownloadedFile(
            path: path, bytes: Int(facts.st_size), modifiedAt: Timestamp(seconds: Int64(facts.st_mtim.tv_sec)))
    }

    public func names(beside path: String) throws -> [String] {
        let folder = path.containingFolder ?? "."
        guard let names = folderNames(folder) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw LibraryFailure.io(file: folder, operation: "readdir", errno: errno)
        }
        return names
    }

    public func unreported(_ path: String, of episode: EpisodeID) throws -> DownloadedFile? {
        guard DownloadNote.read(for: path)?.episode == episode.text, access(path + ".part", F_OK) != 0 else { return nil }
        return try file(at: path)
    }

    public func unclaimed(_ path: String) throws -> DownloadedFile? {
        DownloadNote.read(for: path) == nil ? try file(at: path) : nil
    }

    public func standing(of folder: String) throws -> MediaFolderStanding {
        // A new file system has `lost+found`; a desktop puts hidden folders on every disk.
        let isEmpty = try names(beside: folder + "/").allSatisfy { $0.hasPrefix(".") || $0 == "lost+found" }
        if isEmpty { return .empty }
        guard let memory, let note = FolderDevice.read(memory), note.folder == folder, let now = FolderDevice(of: folder)
        else { return .usual }
        return note.device == now.device ? .usual : .otherDevice
    }

    public func noteStanding(of folder: String) {
        guard let memory, let now = FolderDevice(of: folder), FolderDevice.read(memory) != now else { return }
        now.write(to: memory)
    }

    public func settle(_ path: String) throws {
        let note = DownloadNote.path(for: path)
        guard unlink(note) == 0 || errno == ENOENT || errno == ENOTDIR else {
            throw LibraryFailure.io(file: note, operation: "unlink", errno: errno)
        }
    }

    public func remove(_ file: DownloadedFile) throws -> Bool {
        guard let current = try self.file(at: file.path) else { return true }
        guard current == file else { return false }
        guard unlink(file.path) == 0 || errno == ENOENT else {
            throw LibraryFailure.io(file: file.path, operation: "unlink", errno: errno)
        }
        return true
    }

    public func open(_ path: String, of episode: EpisodeID) throws -> any UnfinishedFile {
        try Self.makeFolders(path.containingFolder ?? ".")
        return try PartialFile(path, of: episode)
    }

    static func makeFolders(_ path: String) throws {
        if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let folder = path.containingFolder, folder != path else {
            throw LibraryFailure.io(file: path, operation: "mkdir", errno: errno)
        }
        try makeFolders(folder)
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw LibraryFailure.io(file: path, operation: "mkdir", errno: errno)
        }
    }
}

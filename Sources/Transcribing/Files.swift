internal import CFiles
import Domain
internal import FileSystem
internal import Glibc

/// Files and folders, with failures as the library's.
enum Files {
    static func failure(_ path: String, _ operation: String) -> LibraryFailure {
        LibraryFailure.io(file: path, operation: operation, errno: errno)
    }

    static func makeFolders(_ path: String) throws {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let folder = path.containingFolder, folder != path else { throw failure(path, "mkdir") }
        try makeFolders(folder)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path, "mkdir") }
    }

    /// Empty if there is no folder.
    static func names(in folder: String) throws -> [String] {
        guard let names = folderNames(folder) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw failure(folder, "readdir")
        }
        return names
    }

    /// Removes a file, or a folder with all it contains.
    static func remove(_ path: String) throws {
        if unlink(path) == 0 || errno == ENOENT { return }
        guard errno == EISDIR || errno == EPERM else { throw failure(path, "unlink") }
        for name in try names(in: path) { try remove("\(path)/\(name)") }
        guard rmdir(path) == 0 || errno == ENOENT else { throw failure(path, "rmdir") }
    }

    private static let removed = ".removed-"

    /// A new path for what `removeAtOnce` may remove.
    private static func removedPath(in folder: String) -> String { "\(folder)/\(removed)\(UInt64.random(in: 0 ... .max))" }

    /// Removes a folder that others may create anew at the same time: it is renamed first, so that nothing of theirs is
    /// removed. Removes what killed processes left of such folders, too.
    static func removeAtOnce(_ path: String) throws {
        let parent = path.containingFolder ?? "."
        guard rename(path, removedPath(in: parent)) == 0 || errno == ENOENT else { throw failure(path, "rename") }
        for name in try names(in: parent) where name.hasPrefix(removed) { try remove("\(parent)/\(name)") }
    }

    /// Creates a file with these bytes unless it exists.
    ///
    /// - Returns: its bytes.
    static func create(_ path: String, _ bytes: [UInt8]) throws -> [UInt8] {
        while true {
            if let existing = try read(path) { return existing }
            // If this process is killed, another one removes the file. It may do so earlier; then this one tries again.
            let new = removedPath(in: path.containingFolder ?? ".")
            try write([bytes], to: new, isDurable: true)
            defer { unlink(new) }
            guard link(new, path) == 0 || errno == EEXIST || errno == ENOENT else { throw failure(path, "link") }
        }
    }

    /// nil if there is no file.
    static func read(_ path: String) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure(path, "open")
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw failure(path, "fstat") }
        return try read(descriptor, path, from: 0, count: Int(facts.st_size))
    }

    /// Fewer bytes than asked for at the end of the file.
    static func read(_ descriptor: Int32, _ path: String, from offset: Int, count: Int) throws -> [UInt8] {
        guard let bytes = readBytes(of: descriptor, from: offset, count: count) else { throw failure(path, "read") }
        return bytes
    }

    static func write(_ parts: [[UInt8]], to path: String, isDurable: Bool) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, "open") }
        defer { close(descriptor) }
        for part in parts {
            if let error = writeAll(part, to: descriptor) {
                throw LibraryFailure.io(file: path, operation: "write", errno: error)
            }
        }
        if isDurable, fsync(descriptor) != 0 { throw failure(path, "fsync") }
    }

    /// Replaces a file in one step; durable when it returns.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        let folder = path.containingFolder ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(folder, "open") }
        defer { close(descriptor) }
        // Another process may replace the same file. A file system without locks goes on without.
        while flock_awaited(descriptor) != 0, errno == EINTR {}
        let new = path + ".new"
        try write([bytes], to: new, isDurable: true)
        guard rename(new, path) == 0 else { throw failure(path, "rename") }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(folder, "fsync") }
    }
}

import Domain
import FileSystem
import Glibc

/// The library's folder: the only code that touches its files. Names are relative to the folder and made from our own
/// ids only. Every failed call throws `LibraryFailure.io`, including a failed sync.
struct Disk: Sendable {
    let root: String
    let calls: SystemCalls

    /// The folder in which files are written before they are published. As there is only one, leftovers of a killed
    /// process can be found without listing the others.
    static let staging = "new"

    /// Size in bytes from which a file's writeback starts before `syncAll`. Smaller files are left to `syncAll`, which
    /// writes them in fewer, larger pieces.
    private static let writebackSize = 256 << 10

    func path(_ name: String) -> String { name.isEmpty ? root : root + "/" + name }

    // MARK: Writing

    /// Creates the library's folder and any missing folders above it.
    func makeRoot() throws {
        if calls.mkdir(root, 0o700) == 0 { return try syncParent() }
        if errno == EEXIST { return }
        guard errno == ENOENT, let folder = root.containingFolder, folder != "/" else { throw failure("", "mkdir") }
        try Disk(root: folder, calls: calls).makeRoot()
        try makeFolder("")
        try syncParent()
    }

    private func syncParent() throws {
        do {
            try syncFolder("..")
        } catch LibraryFailure.io(_, let operation, let errno) {
            throw LibraryFailure.io(file: root, operation: operation, errno: errno)
        }
    }

    func makeFolder(_ name: String) throws {
        if calls.mkdir(path(name), 0o700) != 0, errno != EEXIST { throw failure(name, "mkdir") }
    }

    /// Writes a new file from the pieces that `body` passes on, and syncs it if `sync` is true. It is not published
    /// yet.
    ///
    /// - Parameter head: the file's first bytes, which replace those written; called after `body`.
    func create(
        _ name: String, sync: Bool, head: () -> [UInt8] = { [] },
        _ body: ((RawSpan) throws -> Void) throws -> Void
    ) throws {
        let descriptor = try open(name, O_WRONLY | O_CREAT | O_TRUNC)
        try closing(descriptor, name) {
            var size = 0
            try body { piece in
                try write(descriptor, piece, name)
                size += piece.byteCount
            }
            let head = head()
            if !head.isEmpty {
                try check(calls.seek(descriptor, 0), name, "lseek")
                try write(descriptor, head.span.bytes, name)
            }
            if sync {
                try check(calls.fsync(descriptor), name, "fsync")
            } else if size >= Self.writebackSize {
                // Runs while the next file is written. A failure costs only time.
                _ = calls.beginWriteback(descriptor)
            }
        }
    }

    /// Writes bytes at `offset` of a file, cutting off what followed, and syncs it.
    func append(_ name: String, _ bytes: RawSpan, at offset: Int) throws {
        let descriptor = try open(name, O_WRONLY)
        try closing(descriptor, name) {
            if try check(calls.size(descriptor), name, "fstat") != offset {
                try check(calls.truncate(descriptor, Int64(offset)), name, "ftruncate")
            }
            try check(calls.seek(descriptor, Int64(offset)), name, "lseek")
            try write(descriptor, bytes, name)
            try check(calls.fsync(descriptor), name, "fsync")
        }
    }

    /// Truncates a file after a failed append, if possible.
    func cutOff(_ name: String, at offset: Int) {
        guard let descriptor = try? open(name, O_WRONLY) else { return }
        _ = calls.truncate(descriptor, Int64(offset))
        _ = calls.close(descriptor)
    }

    func syncFolder(_ name: String) throws {
        let descriptor = try open(name, O_RDONLY | O_DIRECTORY)
        try closing(descriptor, name) { try check(calls.fsync(descriptor), name, "fsync") }
    }

    /// Makes everything written so far durable at once: many small files cost one wait instead of one each.
    func syncAll() throws {
        let descriptor = try open("", O_RDONLY | O_DIRECTORY)
        try closing(descriptor, "") { try check(calls.syncfs(descriptor), "", "syncfs") }
    }

    /// Gives back the memory in which the system keeps a file's content. A failure costs only time.
    func forget(_ name: String) {
        guard let descriptor = try? open(name, O_RDONLY) else { return }
        _ = calls.forget(descriptor)
        _ = calls.close(descriptor)
    }

    func rename(_ from: String, to: String) throws {
        try check(calls.rename(path(from), path(to)), to, "rename")
    }

    /// Removes a file; no error if it does not exist.
    func remove(_ name: String) throws {
        if calls.unlink(path(name)) != 0, errno != ENOENT { throw failure(name, "unlink") }
    }

    /// Removes an empty folder; no error if it has contents or does not exist.
    func removeFolder(_ name: String) throws {
        if calls.rmdir(path(name)) != 0, errno != ENOENT, errno != ENOTEMPTY { throw failure(name, "rmdir") }
    }

    /// Creates a second name for a file, replacing any file of that name; false if the file does not exist.
    @discardableResult
    func link(_ from: String, to: String) throws -> Bool {
        try remove(to)
        if calls.link(path(from), path(to)) == 0 { return true }
        guard errno == ENOENT else { throw failure(to, "link") }
        return false
    }

    // MARK: System calls

    func open(_ name: String, _ flags: Int32) throws -> Int32 {
        try check(retrying { calls.open(path(name), flags | O_CLOEXEC, 0o600) }, name, "open")
    }

    func openIfPresent(_ name: String, _ flags: Int32) throws -> Int32? {
        let descriptor = retrying { calls.open(path(name), flags | O_CLOEXEC, 0o600) }
        if descriptor < 0, errno == ENOENT { return nil }
        return try check(descriptor, name, "open")
    }

    /// Closes the file in any case. An error of `close` counts, because some file systems report a failed write only
    /// there.
    private func closing(_ descriptor: Int32, _ name: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            _ = calls.close(descriptor)
            throw error
        }
        if calls.close(descriptor) != 0, errno != EINTR { throw failure(name, "close") }
    }

    private func write(_ descriptor: Int32, _ bytes: RawSpan, _ name: String) throws {
        var written = 0
        while written < bytes.byteCount {
            let count = calls.write(descriptor, bytes.extracting(written...))
            if count > 0 {
                written += count
            } else if count == 0 {
                throw LibraryFailure.io(file: path(name), operation: "write", errno: EIO)
            } else if errno != EINTR {
                throw failure(name, "write")
            }
        }
    }

    func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        var result = call()
        while result < 0, errno == EINTR { result = call() }
        return result
    }

    @discardableResult
    func check<Result: BinaryInteger>(_ result: Result, _ name: String, _ operation: String) throws -> Result {
        if result < 0 { throw failure(name, operation) }
        return result
    }

    func failure(_ name: String, _ operation: String) -> LibraryFailure {
        .io(file: path(name), operation: operation, errno: errno)
    }
}

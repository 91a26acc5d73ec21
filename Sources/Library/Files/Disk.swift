import Domain
import Glibc

/// The library's folder: the only code that touches its files. Names are relative to the folder, and come from our
/// own ids only. Every failed call is a `LibraryFailure.io`, a failed sync included.
struct Disk: Sendable {
    let root: String
    let calls: SystemCalls

    /// Where files are written before they are published: one folder, so that leftovers of a killed process are
    /// found without listing the others.
    static let staging = "new"

    /// Bytes of a file from which on its writing begins before `syncAll`, which writes small files in fewer, larger pieces.
    private static let worthAHeadStart = 256 << 10

    func path(_ name: String) -> String { name.isEmpty ? root : root + "/" + name }

    // MARK: Writing

    /// Makes the library's own folder, and those above it where they are missing.
    func makeRoot() throws {
        if calls.mkdir(root, 0o700) == 0 { return try syncParent() }
        if errno == EEXIST { return }
        guard errno == ENOENT, let slash = root.lastIndex(of: "/"), slash > root.startIndex else {
            throw failure("", "mkdir")
        }
        try Disk(root: String(root[..<slash]), calls: calls).makeRoot()
        try makeFolder("")
        try syncParent()
    }

    private func syncParent() throws {
        do {
            try syncFolder("..")
        } catch LibraryFailure.io(_, let operation, let errno) {
            throw LibraryFailure.io(file: "", operation: operation, errno: errno)
        }
    }

    func makeFolder(_ name: String) throws {
        if calls.mkdir(path(name), 0o700) != 0, errno != EEXIST { throw failure(name, "mkdir") }
    }

    /// Writes a new file of the pieces that `body` hands on, and syncs it where `sync` says so. It is not published yet.
    func create(_ name: String, sync: Bool, _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        let descriptor = try open(name, O_WRONLY | O_CREAT | O_TRUNC)
        try closing(descriptor, name) {
            var size = 0
            try body { piece in
                try write(descriptor, piece, name)
                size += piece.count
            }
            if sync {
                try check(calls.fsync(descriptor), name, "fsync")
            } else if size >= Self.worthAHeadStart {
                // While the next file is made; where there is no head start, it loses time only.
                _ = calls.beginWriteback(descriptor)
            }
        }
    }

    /// Writes these bytes at `offset` of a file and syncs it; what stood behind `offset` is cut off.
    func append(_ name: String, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
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

    /// After a failed append, if it can be done.
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

    func rename(_ from: String, to: String) throws {
        try check(calls.rename(path(from), path(to)), to, "rename")
    }

    /// No error where there is nothing to remove.
    func remove(_ name: String) throws {
        if calls.unlink(path(name)) != 0, errno != ENOENT { throw failure(name, "unlink") }
    }

    /// Leaves a folder that is not empty, or not there.
    func removeFolder(_ name: String) throws {
        if calls.rmdir(path(name)) != 0, errno != ENOENT, errno != ENOTEMPTY { throw failure(name, "rmdir") }
    }

    /// A second name for a file, in place of whatever had that name; false where the file does not exist.
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

    /// Closes whatever happens; an error of `close` counts, because some file systems report a failed write only there.
    private func closing(_ descriptor: Int32, _ name: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            _ = calls.close(descriptor)
            throw error
        }
        if calls.close(descriptor) != 0, errno != EINTR { throw failure(name, "close") }
    }

    private func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ name: String) throws {
        var written = 0
        while written < bytes.count {
            let count = calls.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[written...]))
            if count > 0 {
                written += count
            } else if count == 0 {
                throw LibraryFailure.io(file: name, operation: "write", errno: EIO)
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
        .io(file: name, operation: operation, errno: errno)
    }
}

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

    // MARK: Reading

    /// The whole file; nil where there is none.
    ///
    /// - Throws: `LibraryFailure.damaged` where something else has its name.
    func read(_ name: String) throws -> [UInt8]? {
        let descriptor: Int32
        let size: Int64
        do {
            // A pipe must not keep us waiting.
            guard let opened = try openIfPresent(name, O_RDONLY | O_NONBLOCK) else { return nil }
            descriptor = opened
        } catch LibraryFailure.io(_, _, ELOOP) {
            throw Damage.noFile.failure(name)
        }
        defer { _ = calls.close(descriptor) }
        do {
            size = try check(calls.size(descriptor), name, "fstat")
        } catch LibraryFailure.io(_, _, EISDIR) {
            throw Damage.noFile.failure(name)
        }
        var failure: Int32?
        // One byte more than the size, so that the end is seen by the first read.
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(size) + 1) { buffer, count in
            while count < buffer.count {
                let got = calls.read(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]))
                if got == 0 { break }
                if got > 0 {
                    count += got
                } else if errno != EINTR {
                    failure = errno
                    break
                }
            }
        }
        if let failure { throw LibraryFailure.io(file: name, operation: "read", errno: failure) }
        return bytes
    }

    /// Names in a folder, sorted; empty where there is no such folder.
    func list(_ folder: String) throws -> [String] {
        guard let stream = opendir(path(folder)) else {
            if errno == ENOENT { return [] }
            throw failure(folder, "opendir")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        if errno != 0 { throw failure(folder, "readdir") }
        return names.sorted()
    }

    func exists(_ name: String) throws -> Bool {
        do {
            guard let descriptor = try openIfPresent(name, O_RDONLY | O_NONBLOCK) else { return false }
            _ = calls.close(descriptor)
        } catch LibraryFailure.io(_, _, ELOOP) {}
        return true
    }

    /// What tells whether a file changed: another one took its place, or it grew.
    struct Status: Hashable, Sendable {
        var inode: UInt64
        var size: Int64
    }

    /// nil if there is no such file.
    func status(_ name: String) throws -> Status? {
        if let status = calls.status(path(name)) { return status }
        guard errno == ENOENT else { throw failure(name, "stat") }
        return nil
    }

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

    private func openIfPresent(_ name: String, _ flags: Int32) throws -> Int32? {
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

    private func retrying(_ call: () -> Int32) -> Int32 {
        var result = call()
        while result < 0, errno == EINTR { result = call() }
        return result
    }

    @discardableResult
    private func check<Result: BinaryInteger>(_ result: Result, _ name: String, _ operation: String) throws -> Result {
        if result < 0 { throw failure(name, operation) }
        return result
    }

    private func failure(_ name: String, _ operation: String) -> LibraryFailure {
        .io(file: name, operation: operation, errno: errno)
    }
}

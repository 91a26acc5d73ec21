import Domain
import Glibc

/// A lock on a library, for writing a batch or for refreshing. The kernel releases it when the process ends in any way.
final class FolderLock: Sendable {
    /// Held while a batch is written.
    static let write = "lock"
    /// Held by a refresh for its whole run.
    static let refresh = "refresh.lock"

    private let descriptor: Int32

    /// - Throws: `LibraryFailure.locked` if another process holds it for longer than `seconds`.
    static func take(_ name: String, in disk: Disk, waitSeconds seconds: Double) async throws -> FolderLock {
        let lock = try await wait(for: try disk.open(name, O_RDWR | O_CREAT), name, in: disk, seconds)
        // The holder's id is only for the message to those who wait.
        let text = Array("\(getpid())\n".utf8)
        if disk.calls.truncate(lock.descriptor, 0) == 0 {
            _ = disk.calls.write(lock.descriptor, text.span.bytes)
        }
        return lock
    }

    /// Keeps writers out without writing anything. Returns nil if the library has no lock file yet, or the system
    /// forbids opening it; then the files may change while they are read.
    static func keepOut(of disk: Disk, waitSeconds seconds: Double) async throws -> FolderLock? {
        let descriptor: Int32
        do {
            descriptor = try disk.open(write, O_RDONLY)
        } catch LibraryFailure.io(_, _, ENOENT), LibraryFailure.io(_, _, EACCES), LibraryFailure.io(_, _, EPERM) {
            return nil
        }
        return try await wait(for: descriptor, write, in: disk, seconds)
    }

    private static func wait(
        for descriptor: Int32, _ name: String, in disk: Disk, _ seconds: Double
    ) async throws -> FolderLock {
        // Most batches take a few milliseconds, so the first wait is short.
        var pause = 0.001
        var waited = 0.0
        while disk.calls.lock(descriptor) != 0 {
            let error = errno
            if error == EINTR { continue }
            guard error == EWOULDBLOCK, waited < seconds else {
                _ = disk.calls.close(descriptor)
                if error == EWOULDBLOCK {
                    throw LibraryFailure.locked(holder: try holder(of: name, in: disk), isRefresh: name == refresh)
                }
                throw LibraryFailure.io(file: disk.path(name), operation: "flock", errno: error)
            }
            do {
                try await Task.sleep(for: .seconds(pause))
            } catch {
                _ = disk.calls.close(descriptor)
                throw error
            }
            waited += pause
            pause = min(2 * pause, 0.05)
        }
        return FolderLock(descriptor)
    }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        // Nobody waits any more. Emptied, the lock file is the same after every run.
        ftruncate(descriptor, 0)
        close(descriptor)
    }

    private static func holder(of name: String, in disk: Disk) throws -> Int? {
        guard let bytes = try disk.read(name) else { return nil }
        return Int(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

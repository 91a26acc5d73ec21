import Composition
import FoundationEssentials
import Glibc
import Presentation

/// A file with the server's state. The servers of one user share it: each reads what another has written.
struct StateFile<State: Codable & Sendable>: Sendable {
    let path: String
    /// The version that was last read or written.
    private var version: FileVersion?

    init(_ path: String) { self.path = path }

    /// The stored state; nil if it is the one last read or written, or cannot be read.
    mutating func readIfChanged() -> State? {
        let current = FileVersion(of: path)
        guard current != version else { return nil }
        version = current
        guard current != nil, let bytes = try? UserFile(path).read() else { return nil }
        return try? JSONDecoder().decode(State.self, from: Data(bytes))
    }

    mutating func write(_ state: State) throws {
        makeFolders(above: path)
        try UserFile(path).replace(with: [UInt8](try JSONEncoder().encode(state)))
        version = FileVersion(of: path)
    }

    /// Waits until no other task of any server holds the lock.
    ///
    /// - Returns: a descriptor that holds the lock until it is closed.
    /// - Throws: `FailureLine`, `CancellationError`.
    func lock() async throws -> Int32 { try await lockFile(besides: path) }
}

/// Waits until no other task of any server holds the lock of a file.
///
/// - Returns: a descriptor that holds the lock until it is closed.
/// - Throws: `FailureLine`, `CancellationError`.
func lockFile(besides path: String) async throws -> Int32 {
    let path = path + ".lock"
    makeFolders(above: path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FailureLine(writing: path, errno: errno) }
    do {
        // On a file system without locks, the file is used unlocked.
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR {
            try await Task.sleep(for: .milliseconds(5))
        }
    } catch {
        close(descriptor)
        throw error
    }
    return descriptor
}

/// Differs after each change of a file that each change replaces.
struct FileVersion: Equatable, Sendable {
    private let inode: UInt
    private let seconds, nanoseconds: Int

    /// nil if there is no file.
    init?(of path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        (inode, seconds, nanoseconds) = (UInt(facts.st_ino), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
    }
}

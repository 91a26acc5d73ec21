import Domain
import Glibc

/// A lock on one episode's transcription: a byte of a file. The kernel releases it when the process ends in any way, on
/// network file systems too.
final class EpisodeLock: TranscriptionClaim {
    static let name = "transcribe.lock"

    private let descriptor: Int32

    var isHeld: Bool { true }

    /// - Returns: nil if another run holds it.
    /// - Throws: `LibraryFailure.io`.
    static func take(_ episode: EpisodeID, in disk: Disk) throws -> EpisodeLock? {
        let descriptor = try disk.open(name, O_RDWR | O_CREAT)
        let offset = Int64(bitPattern: XXH64.hash(episode.text.utf8) & (1 << 62 - 1))
        while disk.calls.lockByte(descriptor, offset) != 0 {
            let error = errno
            if error == EINTR { continue }
            _ = disk.calls.close(descriptor)
            if error == EAGAIN || error == EACCES { return nil }
            throw LibraryFailure.io(file: disk.path(name), operation: "fcntl", errno: error)
        }
        return EpisodeLock(descriptor)
    }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    func release() {}
}

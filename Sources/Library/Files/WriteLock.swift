import Domain
import Glibc

/// The right to write a library. The kernel drops it with the process, however that ends.
final class WriteLock: Sendable {
    private static let name = "lock"
    private let descriptor: Int32

    /// - Throws: `LibraryFailure.locked` where another process keeps it for longer than `seconds`.
    static func take(in disk: Disk, waitSeconds seconds: Double) async throws -> WriteLock {
        let descriptor = try disk.open(name, O_RDWR | O_CREAT)
        let pause = 0.05
        var waited = 0.0
        while disk.calls.lock(descriptor) != 0 {
            let error = errno
            if error == EINTR { continue }
            guard error == EWOULDBLOCK, waited < seconds else {
                _ = disk.calls.close(descriptor)
                if error == EWOULDBLOCK { throw LibraryFailure.locked(holder: try holder(in: disk)) }
                throw LibraryFailure.io(file: name, operation: "flock", errno: error)
            }
            do {
                try await Task.sleep(for: .seconds(pause))
            } catch {
                _ = disk.calls.close(descriptor)
                throw error
            }
            waited += pause
        }
        let lock = WriteLock(descriptor)
        // The holder's id is a courtesy to whoever waits: nothing depends on it.
        let text = Array("\(getpid())\n".utf8)
        if disk.calls.truncate(descriptor, 0) == 0 { text.withUnsafeBytes { _ = disk.calls.write(descriptor, $0) } }
        return lock
    }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    private static func holder(in disk: Disk) throws -> Int? {
        guard let bytes = try disk.read(name) else { return nil }
        return Int(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

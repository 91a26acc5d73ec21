internal import Domain
import Glibc

/// A feed in a local file that the user named. No redirect, page or list can lead to one.
enum LocalFile {
    static func read(_ path: String, receive: (WireHead, WirePiece) throws -> Void) -> WireOutcome {
        var outcome = WireOutcome()
        do {
            outcome.head = try read(path, receive)
        } catch {
            outcome.failure = error
        }
        return outcome
    }

    private static func read(_ path: String, _ receive: (WireHead, WirePiece) throws -> Void) throws -> WireHead {
        // Without O_NONBLOCK, opening a pipe would block the thread.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw failure(errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw FetchFailure(.protocol, detail: .notAFile) }

        var head = WireHead()
        head.status = 200
        while true {
            var count = 0
            let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { room, filled in
                repeat { count = Glibc.read(descriptor, room.baseAddress, room.count) } while count < 0 && errno == EINTR
                filled = max(0, count)
            }
            guard count >= 0 else { throw failure(errno) }
            if count == 0 { return head }
            try receive(head, .sent(piece))
        }
    }

    private static func failure(_ code: Int32) -> FetchFailure {
        FetchFailure(.http, detail: .unreadableFile(errno: code))
    }
}

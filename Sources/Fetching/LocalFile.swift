internal import Domain
import Glibc

/// A feed in a file of this machine, which the user named. No redirect, page or list leads here.
enum LocalFile {
    static func read(
        _ path: String, _ request: FetchRequest, receive: (ResponseHead, [UInt8]) throws -> Void
    ) throws -> FetchResponse {
        // Without O_NONBLOCK, opening a pipe would block the thread.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw failure(errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw FetchFailure(.protocol, detail: .notAFile) }

        let head = ResponseHead(url: request.url, headers: ResponseHeaders())
        var body = BodyReader(contentEncoding: nil, knownHash: request.knownBodyHash, limit: request.limits.maxBodySize)
        while true {
            var count = 0
            let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { room, filled in
                repeat { count = Glibc.read(descriptor, room.baseAddress, room.count) } while count < 0 && errno == EINTR
                filled = max(0, count)
            }
            guard count >= 0 else { throw failure(errno) }
            if count == 0 { break }
            try body.read(piece) { try receive(head, $0) }
        }
        let isSame = try body.finish { try receive(head, $0) }
        return FetchResponse(
            body: isSame ? .sameBytes : .received, status: 200, finalURL: request.url, headers: ResponseHeaders(),
            bodyHash: body.hash, bytes: body.size)
    }

    private static func failure(_ code: Int32) -> FetchFailure {
        FetchFailure(.http, detail: .unreadableFile(errno: code))
    }
}

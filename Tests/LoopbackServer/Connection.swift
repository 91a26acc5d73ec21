import Glibc

/// One TCP connection: reads requests and writes replies, on the thread that owns it.
final class Connection: @unchecked Sendable {  // made by the accepting thread, then used by its own thread alone
    let descriptor: Int32
    private let number: Int
    private var pending = [UInt8]()

    init(descriptor: Int32, number: Int) {
        self.descriptor = descriptor
        self.number = number
    }

    func end() { close(descriptor) }

    /// The next request; nil if the connection ended.
    func readRequest() -> Request? {
        guard var request = readHead() else { return nil }
        guard let length = request["Content-Length"].flatMap({ Int($0) }), (1..<1 << 20).contains(length) else { return request }
        while pending.count < length {
            var piece = [UInt8](repeating: 0, count: 16 << 10)
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            pending += piece[..<count]
        }
        request.body = Array(pending[..<length])
        pending.removeFirst(length)
        return request
    }

    private func readHead() -> Request? {
        var searched = 0
        while true {
            if let end = headEnd(from: searched) {
                let head = pending[..<end]
                let request = parse(head)
                pending.removeFirst(end + 4)
                return request
            }
            searched = max(0, pending.count - 3)
            var piece = [UInt8](repeating: 0, count: 16 << 10)
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0, pending.count < 1 << 20 else { return nil }
            pending += piece[..<count]
            // A TLS greeting, for one.
            if let first = pending.first, !(65...90).contains(first) {
                _ = write(Array("HTTP/1.1 400 No HTTP\r\nConnection: close\r\n\r\n".utf8))
                return nil
            }
        }
    }

    private func headEnd(from start: Int) -> Int? {
        guard pending.count - 4 >= start else { return nil }
        return (start...(pending.count - 4)).first {
            pending[$0] == 13 && pending[$0 + 1] == 10 && pending[$0 + 2] == 13 && pending[$0 + 3] == 10
        }
    }

    private func parse(_ head: ArraySlice<UInt8>) -> Request? {
        let lines = head.split(separator: 10).map { $0.last == 13 ? $0.dropLast() : $0 }
        guard let first = lines.first else { return nil }
        let words = first.split(separator: 32).map(text)
        guard words.count == 3 else { return nil }
        let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: 58) else { return nil }
            return (text(line[..<colon]), text(line[(colon + 1)...].drop { $0 == 32 }))
        }
        return Request(method: words[0], target: words[1], headers: headers, connection: number)
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// True if the connection can take another request.
    func send(_ reply: Reply, to request: Request) -> Bool {
        pause(reply.delay)
        if reply.hangs {
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) > 0 {}
            return false
        }
        if let raw = reply.raw {
            _ = write(raw)
            shutdown(descriptor, Int32(SHUT_WR))
            return false
        }
        for (status, headers) in reply.interim { guard write(head(status, headers)) else { return false } }
        let hasBody = reply.status >= 200 && reply.status != 204 && reply.status != 304 && request.method != "HEAD"
        var headers = reply.headers
        switch reply.framing {
        case .contentLength where hasBody: headers.append(("Content-Length", "\(reply.declaredLength ?? reply.body.count)"))
        case .chunked where hasBody: headers.append(("Transfer-Encoding", "chunked"))
        case .untilClose: headers.append(("Connection", "close"))
        default: break
        }
        guard hasBody else { return write(head(reply.status, headers)) && !reply.closes }
        let body = reply.body.prefix(reply.cutAfter ?? reply.body.count)
        if reply.framing == .contentLength, reply.drip == nil {
            guard write(head(reply.status, headers) + body) else { return false }
        } else {
            guard write(head(reply.status, headers)), sendPieces(body, reply) else { return false }
        }
        let isCut = reply.cutAfter != nil || reply.framing == .untilClose || reply.closes
        if isCut { shutdown(descriptor, Int32(SHUT_WR)) }
        return !isCut
    }

    private func sendPieces(_ body: ArraySlice<UInt8>, _ reply: Reply) -> Bool {
        var remaining = body
        while !remaining.isEmpty {
            let piece = remaining.prefix(reply.drip?.bytes ?? 16 << 10)
            remaining = remaining.dropFirst(piece.count)
            pause(reply.drip?.pause ?? 0)
            let isChunked = reply.framing == .chunked
            let framed = isChunked ? Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10] : Array(piece)
            guard write(framed) else { return false }
        }
        return reply.framing != .chunked || reply.cutAfter != nil || write(Array("0\r\n\r\n".utf8))
    }

    private func head(_ status: Int, _ headers: [(name: String, value: String)]) -> [UInt8] {
        var bytes = Array("HTTP/1.1 \(status) \(status == 200 ? "OK" : "Said So")\r\n".utf8)
        for (name, value) in headers {
            // Values are bytes: what is beyond Latin-1 goes out as UTF-8.
            let isLatin1 = value.unicodeScalars.allSatisfy { $0.value < 256 }
            bytes += Array("\(name): ".utf8)
            bytes += isLatin1 ? value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(value.utf8)
            bytes += [13, 10]
        }
        return bytes + [13, 10]
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    private func pause(_ seconds: Double) {
        guard seconds > 0 else { return }
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
        var remaining = timespec()
        while nanosleep(&time, &remaining) != 0, errno == EINTR { time = remaining }
    }
}

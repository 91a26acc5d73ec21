import Glibc
import ProgramSupport

/// A plain HTTP client: one request per connection, and the response unchanged.
struct Client {
    let port: UInt16

    struct Answer {
        var status: Int
        /// Names in lower case.
        var headers: [String: String]
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    func get(_ path: String, headers: [String: String] = [:]) throws -> Answer {
        try send("GET", path, headers: headers)
    }

    /// The responses to requests that are all sent before the first response is read.
    func getAll(_ paths: [String]) throws -> [Answer] {
        let connections = try paths.map { path in
            let connection = try connect()
            let request = Array("GET \(path) HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8)
            _ = request.withUnsafeBytes { bytes in bytes.baseAddress.map { send(connection, $0, bytes.count) } }
            return connection
        }
        defer { connections.forEach { close($0) } }
        return try connections.map { connection in
            var received: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = read(connection, &buffer, buffer.count), count > 0 { received += buffer[..<count] }
            return try answer(received)
        }
    }

    /// Sends a form.
    func post(_ path: String, _ fields: String = "", headers: [String: String] = [:]) throws -> Answer {
        let all = ["Content-Type": "application/x-www-form-urlencoded"].merging(headers) { $1 }
        return try send("POST", path, headers: all, body: Array(fields.utf8))
    }

    func send(_ method: String, _ path: String, headers: [String: String] = [:], body: [UInt8] = []) throws -> Answer {
        var head = "\(method) \(path) HTTP/1.1\r\nConnection: close\r\n"
        if headers["Host"] == nil { head += "Host: 127.0.0.1:\(port)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if method != "GET" { head += "Content-Length: \(body.count)\r\n" }
        return try raw(Array((head + "\r\n").utf8) + body)
    }

    /// - Throws: `TestFailure` if no response comes within ten seconds.
    func raw(_ bytes: [UInt8]) throws -> Answer {
        let connection = try connect()
        defer { close(connection) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { send(connection, $0.baseAddress.map { $0 + sent }, bytes.count - sent) }
            guard count > 0 else { break }
            sent += count
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(connection, &buffer, buffer.count), count > 0 { received += buffer[..<count] }
        return try answer(received)
    }

    private func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        Glibc.send(descriptor, bytes, count, Int32(truncatingIfNeeded: MSG_NOSIGNAL))
    }

    func connect() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw TestFailure("connect: \(errno)") }
        return descriptor
    }

    private func answer(_ bytes: [UInt8]) throws -> Answer {
        guard let end = bytes.firstRange(of: [13, 10, 13, 10]) else { throw TestFailure("no answer") }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, let status = Int(words[1]) else { throw TestFailure("no status") }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].drop { $0 == " " }.description
        }
        return Answer(status: status, headers: headers, body: Array(bytes[end.upperBound...]))
    }
}

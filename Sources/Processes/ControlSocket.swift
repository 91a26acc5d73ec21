internal import Glibc

/// A private folder with the socket on which a player listens.
struct ControlFolder: Sendable {
    private let path: String
    var socket: String { path + "/player" }

    /// The longest path of a socket, in bytes; see unix(7).
    private static let maxPath = 107

    /// nil if none can be made.
    init?() {
        let folders: [String?] = [Self.variable("XDG_RUNTIME_DIR"), Self.variable("TMPDIR"), "/tmp"]
        for parent in folders.compactMap({ $0 }) where parent.hasPrefix("/") {
            var template = Array("\(parent)/jimmy-XXXXXX".utf8CString)
            guard template.count + 7 <= Self.maxPath, mkdtemp(&template) != nil else { continue }
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return
        }
        return nil
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    func remove() {
        unlink(socket)
        rmdir(path)
    }
}

/// A connection to the socket of a player. Nothing here waits: the player may be stopped or busy at any time.
final class ControlSocket {
    private let path: String
    private var descriptor: Int32?
    private var received: [UInt8] = []

    var isConnected: Bool { descriptor != nil }

    init(_ path: String) { self.path = path }

    deinit { if let descriptor { close(descriptor) } }

    /// Connects if the player listens by now.
    ///
    /// - Returns: true once connected.
    func connect() -> Bool {
        if descriptor != nil { return true }
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
        guard socket >= 0 else { return false }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(socket, $0, length) == 0 }
        }
        guard isConnected else {
            close(socket)
            return false
        }
        descriptor = socket
        return true
    }

    /// Sends a text, or nothing if the player does not read now.
    ///
    /// - Returns: true if it was sent.
    func send(_ text: String) -> Bool {
        guard let descriptor else { return false }
        var text = text
        return text.withUTF8 { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) == $0.count }
    }

    /// The complete lines that arrived since the last call.
    func lines() -> [[UInt8]] {
        guard let descriptor else { return [] }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { received += buffer[..<count] }
        guard let end = received.lastIndex(of: UInt8(ascii: "\n")) else {
            // No answer is that long; what cannot be read is dropped.
            if received.count > 1 << 20 { received.removeAll() }
            return []
        }
        let lines = received[..<end].split(separator: UInt8(ascii: "\n")).map { Array($0) }
        received.removeSubrange(...end)
        return lines
    }
}

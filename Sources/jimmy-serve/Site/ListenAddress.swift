import Addresses
import ArgumentParser
import Domain
import NIOCore

/// The address on which the server listens.
struct ListenAddress: ExpressibleByArgument, CustomStringConvertible, Sendable {
    let host: String
    let port: Int

    static let usual = ListenAddress(host: "127.0.0.1", port: 8_097)

    private init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    init?(argument: String) {
        var host = Self.usual.host
        var port = argument[...]
        if let colon = argument.lastIndex(of: ":") {
            host = String(argument[..<colon])
            port = argument[argument.index(after: colon)...]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        guard let number = Int(port), (0...65_535).contains(number), !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 }) else {
            return nil
        }
        self.init(host: host, port: number)
    }

    /// True if only programs on this machine can connect.
    var isLoopback: Bool { host == "::1" || Self.isLoopback(host) }

    /// True for `localhost` and the IPv4 addresses of loopback, but not for names such as `127.example.com`.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasPrefix("127.") && host.utf8.allSatisfy("0123456789.".utf8.contains)
    }

    var defaultValueDescription: String { description }
    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// The IP address of a proxy.
struct ProxyAddress: ExpressibleByArgument, Sendable {
    /// The address as connections show it.
    let text: String

    init?(argument: String) {
        guard let address = try? SocketAddress(ipAddress: argument, port: 0).ipAddress else { return nil }
        text = address
    }
}

/// The URL under which others reach the server.
struct PublicURL: ExpressibleByArgument, Sendable {
    let url: WebURL

    init?(argument: String) {
        guard let url = WebURL(argument), url.credentials == nil else { return nil }
        self.url = url
    }
}

import ArgumentParser
import Domain

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
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard let number = Int(port), (0...65_535).contains(number), !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 }) else {
            return nil
        }
        self.init(host: host, port: number)
    }

    /// True if only programs on this machine can connect.
    var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" || host == "localhost" }

    var defaultValueDescription: String { description }
    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// The URL under which others reach the server.
struct PublicURL: ExpressibleByArgument, Sendable {
    let url: WebURL

    init?(argument: String) {
        guard let url = WebURL(argument), url.credentials == nil else { return nil }
        self.url = url
    }
}

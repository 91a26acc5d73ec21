import Glibc
import ProgramSupport

/// A home whose library `jimmy serve` shows until the test ends.
final class Served {
    let home: Home
    let client: Client
    private var server: RunningProgram
    private let options: [String]

    /// - Parameter options: of `jimmy serve`.
    init(_ home: Home, _ options: String...) throws {
        self.home = home
        self.options = options
        server = try home.jimmy.start(["serve", "--listen", "127.0.0.1:0"] + options)
        guard let line = server.nextLine(), let port = UInt16(line.split(separator: ":").last?.dropLast() ?? "") else {
            throw TestFailure("jimmy serve does not start: \(try server.end(seconds: 5).errors)")
        }
        client = Client(port: port)
    }

    deinit { if !hasEnded { _ = try? stop() } }
    private var hasEnded = false

    var url: String { "http://127.0.0.1:\(client.port)" }

    /// Stops the server. What is returned starts it again at the same address.
    func away() throws -> () throws -> Void {
        _ = try stop()
        return { [self] in
            server = try home.jimmy.start(["serve", "--listen", "127.0.0.1:\(client.port)"] + options)
            guard server.nextLine() != nil else { throw TestFailure("jimmy serve does not start again") }
            hasEnded = false
        }
    }

    /// Asks it to stop, and waits.
    func stop(_ signal: Int32 = SIGTERM) throws -> Run {
        hasEnded = true
        server.signal(signal)
        return try server.end(seconds: 30)
    }

    /// The ids of the episodes that a page lists, in order.
    func episodes(on path: String) throws -> [String] {
        try client.get(path).text.matches(of: /<li class="row[^>]* data-episode="([^"]+)"/).map { String($0.1) }
    }
}

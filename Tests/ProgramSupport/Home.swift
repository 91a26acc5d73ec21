public import DatabaseServer
import FileSystem
import Glibc
public import LoopbackServer
import Synchronization

/// A user's home in a temporary folder, the program in it, and a server whose feeds a test writes.
public final class Home: Sendable {
    public let folder: String
    public let server: LoopbackServer
    public let jimmy: Program

    public var library: String { folder + "/library" }

    /// `JIMMY_TEST_LIBRARY=database` runs all tests on libraries in a database; those of files are skipped.
    public static let usesDatabase = getenv("JIMMY_TEST_LIBRARY").map { String(cString: $0) } == "database"

    /// - Parameters:
    ///   - database: the address of the library; nil for a folder.
    ///   - settings: more of the environment.
    public init(
        database: String? = usesDatabase ? PostgresServer.shared?.newLibrary() : nil, settings: [String: String] = [:]
    ) throws {
        var template = Array("/tmp/jimmy-home-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestFailure("mkdtemp: \(errno)") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        mkdir(folder + "/library", 0o700)
        server = try LoopbackServer()
        let environment = [
            "HOME": folder, "JIMMY_LIBRARY": database ?? folder + "/library", "PATH": Program.searchPath, "TERM": "xterm",
            "TZ": "UTC", "LANG": "C.UTF-8",
        ]
        jimmy = Program(environment: environment.merging(settings) { $1 })
    }

    deinit {
        server.stop()
        removeTree(folder)
    }

    /// A file in the home, as text.
    public func text(_ name: String) throws -> String {
        guard let file = fopen("\(folder)/\(name)", "r") else { throw TestFailure("no \(name)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A feed of that many weekly episodes, called `TITLE 1` and so on; the newest is the last.
    public static func feed(_ title: String, episodes: Int, extra: String = "") -> String {
        let items = (0..<episodes).reversed().map { number in
            let day = number + 1 < 10 ? "0\(number + 1)" : "\(number + 1)"
            return """
                <item><title>\(title) \(number + 1)</title><guid>\(title)-\(number + 1)</guid>
                <pubDate>\(day) May 2024 08:00:00 GMT</pubDate><description>All about \(title) and the sea.</description>
                <enclosure url="http://media.example/\(number + 1).mp3" type="audio/mpeg" length="1000"/></item>
                """
        }
        return "<rss version=\"2.0\"><channel><title>\(title)</title>\(extra)\(items.joined())</channel></rss>"
    }

    /// A feed of an episode a week, the newest that many seconds ago, each an hour long.
    public static func weeklyFeed(_ title: String, weeks: Int, newestAgo seconds: Int = 3_600) -> String {
        let items = (0..<weeks).map { week in
            var moment = time(nil) - seconds - week * 7 * 86_400
            var parts = tm()
            gmtime_r(&moment, &parts)
            var text = [CChar](repeating: 0, count: 64)
            strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            let date = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return """
                <item><title>\(week)</title><guid>\(week)</guid><pubDate>\(date)</pubDate>
                <itunes:duration xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">1:00:00</itunes:duration></item>
                """
        }
        return "<rss version=\"2.0\"><channel><title>\(title)</title>\(items.joined())</channel></rss>"
    }

    /// Runs a script in the home's folder, with the built program as `jimmy` on its path, behind the programs in `bin`.
    public func run(script: String, shell: String = "bash") throws -> Run {
        mkdir(folder + "/bin", 0o700)
        symlink(Program.path, folder + "/bin/jimmy")
        try write(script, to: "script")
        var program = jimmy
        program.prelude = "cd '\(folder)' && PATH=\"$PWD/bin:$PATH\" && exec \(shell) script"
        return try program.run()
    }

    public func write(_ text: String, to path: String) throws {
        guard let file = fopen(folder + "/" + path, "w") else { throw TestFailure("\(path): \(errno)") }
        fputs(text, file)
        fclose(file)
    }

    /// Serves a feed and subscribes to it; the podcast's id.
    @discardableResult
    public func subscribe(_ title: String, episodes: Int = 2) throws -> String {
        let path = "/" + title.lowercased().replacing(" ", with: "-")
        server.on(path, .feed(Home.feed(title, episodes: episodes)))
        let run = try jimmy.run("subscribe", server.url + path)
        guard run.status == 0, let id = run.records.first?.first else { throw TestFailure(run.errors) }
        return id
    }
}

extension String {
    public init(reading path: String) throws {
        guard let file = fopen(path, "r") else { throw TestFailure("\(path): \(errno)") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 17)
        let count = fread(&bytes, 1, bytes.count, file)
        self.init(decoding: bytes[..<count], as: UTF8.self)
    }
}

private func removeTree(_ path: String) {
    guard let names = folderNames(path) else {
        unlink(path)
        return
    }
    for name in names { removeTree(path + "/" + name) }
    rmdir(path)
}

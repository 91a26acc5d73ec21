import Glibc
import LoopbackServer
import Testing

/// What the program asks of the system, told by strace: what a command reports as done survives a power cut.
@Suite(.enabled(if: SystemCallTrace.works), .foldersOnly("it counts what is written to the disk")) struct DurabilityTests {
    let home: Home
    private var urls: [String] { (0..<6).map { "\(home.server.url)/\($0)" } }

    init() throws { home = try Home() }

    private func serve(episodes: Int) {
        for number in 0..<6 { home.server.on("/\(number)", .feed(Home.feed("Feed \(number)", episodes: episodes))) }
    }

    private func write(_ text: String, to name: String) throws {
        let file = try #require(fopen("\(home.folder)/\(name)", "w"))
        fputs(text, file)
        fclose(file)
    }

    /// Every file before it gets its name, every name before the end, and the file that speaks of others after them.
    @Test func `everything is synced before it is reported`() throws {
        var trace = SystemCallTrace(home)
        serve(episodes: 3)
        try trace.run("subscribe", urls[0])
        try trace.run(["subscribe"] + urls[1...])
        serve(episodes: 4)
        try trace.run("refresh", "--all")
        serve(episodes: 5)
        try trace.run("refresh", "--force", urls[0])
        let episodes = try home.jimmy.run("episodes").records.map { $0[0] }
        try trace.run("queue", "add", episodes[0], episodes[1])
        try trace.run("queue", "next", "--done")
        try trace.run("tag", "+starred", episodes[0], episodes[1])
        try trace.run("edit", urls[0], "--feed-url", urls[0].replacing("http://", with: "http://bob:pw@"))
        try trace.run("unsubscribe", urls[1])
        try trace.run("unsubscribe", "--keep-episodes", urls[2])
        try trace.run("subscribe", "--no-fetch", urls[2])
        try write("<opml><body><outline xmlUrl='http://127.0.0.1:9/a'/></body></opml>", to: "list.opml")
        try trace.run("opml", "import", home.folder + "/list.opml")
        try trace.run("opml", "export", home.folder + "/exported.opml")
        for name in ["queue.json", "podcasts.jsonl"] { try write("garbage", to: "library/" + name) }
        try trace.run("verify", "--repair")
        #expect(trace.publications > 50)
    }
}

/// Runs the program under strace, and follows what of its writing is durable.
struct SystemCallTrace {
    /// False where there is no strace, or where nobody may trace.
    static let works = (try? Program(prelude: "exec strace -o /dev/null /bin/true").run().status) == 0

    private let home: Home
    private var log: String { home.folder + "/strace" }
    private(set) var publications = 0
    /// Files with bytes that are not synced, and names whose folders are not.
    private var unsynced: Set<Substring> = []
    private var names: Set<Substring> = []

    init(_ home: Home) { self.home = home }

    mutating func run(_ arguments: String...) throws { try run(arguments) }

    mutating func run(_ arguments: [String]) throws {
        var jimmy = home.jimmy
        let traced = "write,pwrite64,ftruncate,fsync,fdatasync,syncfs,rename,renameat,renameat2,link,linkat,unlink"
        jimmy.prelude = #"exec strace -f -y -s 0 -o \#(log) -e trace=\#(traced) "$0" "$@""#
        let run = try jimmy.run(arguments)
        #expect(run.status == 0, "\(arguments): \(run.errors)")
        (unsynced, names) = ([], [])
        for call in try calls() { follow(call, arguments) }
        #expect(unsynced == [], "\(arguments) ended")
        #expect(names == [], "\(arguments) ended")
    }

    /// The calls that worked; one that another thread interrupts stands on two lines.
    private func calls() throws -> [Substring] {
        let file = try #require(fopen(log, "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        var begun: [Substring: Substring] = [:]
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let thread = line.prefix { $0 != " " }
            var call = line.dropFirst(thread.count).drop { $0 == " " }
            if let cut = call.firstRange(of: " <unfinished ...>") {
                begun[thread] = call[..<cut.lowerBound]
                return nil
            }
            if let resumed = call.firstRange(of: " resumed>") {
                call = (begun.removeValue(forKey: thread) ?? "") + call[resumed.upperBound...]
            }
            return call.contains(" = -1 ") ? nil : call
        }
    }

    private mutating func follow(_ call: Substring, _ arguments: [String]) {
        // The file behind a descriptor stands in angle brackets, the name of one in quotes.
        let file = call.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }
        switch call.prefix(while: { $0 != "(" }) {
        case "write", "pwrite64", "ftruncate":
            // Locks hold nothing, and nothing depends on the name of a cache folder's owner.
            let unimportant = ["/lock", "/refresh.lock", "/library"]
            if isOurs(file), !unimportant.contains(where: file.hasSuffix) { unsynced.insert(file) }
        case "fsync", "fdatasync":
            unsynced.remove(file)
            names = names.filter { folder(of: $0) != file }
        case "unlink":
            let path = call.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first
            if let path { unsynced.remove(path) }
        case "syncfs": (unsynced, names) = ([], [])
        case "rename", "renameat", "renameat2", "link", "linkat":
            let quoted = call.split(separator: "\"", omittingEmptySubsequences: false)
            guard quoted.count > 3, isOurs(quoted[3]) else { return }
            publications += 1
            #expect(!unsynced.contains(quoted[1]), "\(arguments): \(quoted[3]) is not synced")
            let others = names.filter { folder(of: $0) != folder(of: quoted[3]) && isIndex($0) == isIndex(quoted[3]) }
            if quoted[3].hasSuffix("/library/library.json") || quoted[3].hasSuffix("/manifest") {
                #expect(others == [], "\(arguments): \(quoted[3]) speaks of them")
            }
            names.insert(quoted[3])
        default: break
        }
    }

    private func isOurs(_ path: Substring) -> Bool { path.hasPrefix(home.folder + "/") }
    private func isIndex(_ path: Substring) -> Bool { path.hasPrefix(home.folder + "/.cache/") }
    private func folder(of path: Substring) -> Substring { path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }
}

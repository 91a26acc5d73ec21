import Glibc
import LoopbackServer
import Testing

/// A sync that fails may have lost what was written: the command says so, whichever file or folder of the library it was.
@Suite(.enabled(if: SystemCallTrace.works, "strace cannot be used here"), .foldersOnly("a database does the writing"))
struct FailedSyncTests {
    private struct FailedRun {
        var run: Run
        /// The file or folder whose sync was the first to fail.
        var file: Substring
        /// Whether it was synced afterwards, or all that was reported was durable by then.
        var isDurable: Bool
    }

    /// Runs a command whose syncs fail with EIO. Returns nil if none of those came.
    ///
    /// - Parameter which: the failing calls, as strace's `when`: `2`, or `2+` for the second and all behind it.
    private func run(_ arguments: [String], failing which: String, in home: Home) throws -> FailedRun? {
        var jimmy = home.jimmy
        let calls = "fsync,fdatasync,syncfs"
        jimmy.prelude =
            #"exec strace -f -y -o \#(home.folder)/strace -e trace=\#(calls) -e inject=\#(calls):error=EIO:when=\#(which) "$0" "$@""#
        let run = try jimmy.run(arguments)
        let lines = try home.text("strace").split(separator: "\n")
        func file(_ line: Substring) -> Substring { line.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" } }
        guard let failed = lines.firstIndex(where: { $0.contains("(INJECTED)") }) else { return nil }
        // A batch that fails is written again, podcast by podcast, to new files.
        let wasWrittenAgain = lines[failed...].contains { file($0) == file(lines[failed]) && $0.hasSuffix("= 0") }
        // Behind the log only the marker is written, which may be older.
        let wasLogged = lines[..<failed].contains { file($0) == "\(home.library)/podcasts.jsonl" && $0.hasSuffix("= 0") }
        return FailedRun(run: run, file: file(lines[failed]), isDurable: wasWrittenAgain || wasLogged)
    }

    private func expectAllReported(in home: Home, _ arguments: (Int) -> [String]) throws {
        var runs = 0
        for suffix in ["", "+"] {
            var files: Set<Substring> = []
            for number in 1... {
                runs += 1
                guard let failed = try run(arguments(runs), failing: "\(number)\(suffix)", in: home) else { break }
                guard failed.file.hasPrefix(home.library) else { continue }
                files.insert(failed.file.dropFirst(home.library.utf8.count))
                #expect(failed.run.status == 74 || failed.isDurable, "\(failed.file): \(failed.run.status) \(failed.run.errors)")
                #expect(failed.run.status != 74 || !failed.run.errors.isEmpty)
                #expect(try home.jimmy.run("verify").status == 0, "\(failed.file)")
            }
            #expect(files.count > 2, "\(files)")
        }
    }

    @Test func `subscribe tells of it, or writes it again`() throws {
        let home = try Home()
        try home.subscribe("Night Radio")
        try expectAllReported(in: home) { number in
            home.server.on("/\(number)", .feed(Home.feed("Radio \(number)", episodes: 2)))
            return ["subscribe", home.server.url + "/\(number)"]
        }
    }

    @Test func `refresh tells of it, or writes it again`() throws {
        let home = try Home()
        home.server.on("/feed", .feed(Home.feed("Radio", episodes: 1)))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/feed").status == 0)
        try expectAllReported(in: home) { number in
            home.server.on("/feed", .feed(Home.feed("Radio", episodes: 1 + number)))
            return ["refresh", "--all"]
        }
    }
}

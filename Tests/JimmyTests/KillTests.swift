import Glibc
import LoopbackServer
import Testing

/// Killed at each call that changes the disk, one run after another, a command has done all of its work or nothing.
@Suite(.enabled(if: DiskCallShim.compiler != nil, "there is no C compiler"), .foldersOnly("see WorkerTests")) struct KillTests {
    /// Runs `command` from the same beginning again and again, and kills it at the first call, the second, and so on.
    ///
    /// - Parameters:
    ///   - view: prints what counts. It must be what it was before the command, or after it.
    ///   - then: what must succeed afterwards.
    /// - Returns: how many runs were killed.
    private func kill(_ home: Home, _ command: String, view: String, then: String = "true") throws -> Int {
        try home.write(DiskCallShim.source, to: "kill.c")
        let run = try home.run(
            script: """
                \(DiskCallShim.compiler ?? "cc") -shared -fPIC -o kill.so kill.c -ldl || exit 1
                export JIMMY_DOWNLOADS=$PWD/audio
                view() { \(view); }
                mkdir -p audio; cp -a library start; cp -a audio heard; view > before
                \(command) > /dev/null 2>&1 || { echo "the command fails"; exit 1; }
                view > after; cmp -s before after && { echo "the command changes nothing"; exit 1; }
                number=1
                while :; do
                    rm -rf library audio; cp -a start library; cp -a heard audio
                    LD_PRELOAD=$PWD/kill.so:$LD_PRELOAD KILL_AT=$number \(command) > /dev/null 2>&1
                    [ $? -eq 137 ] || break
                    jimmy verify > found 2>&1 || { echo "verify after call $number"; cat found; exit 1; }
                    view > now
                    cmp -s now before || cmp -s now after || { echo "half done after call $number"; diff before now; exit 1; }
                    { \(then); } > found 2>&1 || { echo "after call $number"; cat found; exit 1; }
                    number=$((number + 1))
                done
                echo $number
                """)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        return Int(run.lines.last ?? "") ?? 0
    }

    private func home() throws -> Home {
        let home = try Home()
        for title in ["Night Radio", "Deep Sea"] { try home.subscribe(title, episodes: 3) }
        #expect(try home.jimmy.run("tag", "+starred", "night radio/1").status == 0)
        return home
    }

    @Test func `tag`() throws {
        let home = try home()
        let runs = try kill(
            home, "jimmy tag +played -starred --query radio", view: "jimmy tag --dump",
            then: "jimmy tag +a --query sea && jimmy undo && jimmy verify")
        #expect(runs > 10)
    }

    @Test func `undo of a tag`() throws {
        let home = try home()
        #expect(try home.jimmy.run("tag", "+played", "--query", "radio").status == 0)
        #expect(try kill(home, "jimmy undo", view: "jimmy tag --dump", then: "jimmy tag +a --query sea && jimmy verify") > 10)
    }

    @Test func `undo of an unsubscription`() throws {
        let home = try home()
        _ = try home.jimmy.run("queue", "add", "night radio/2")
        #expect(try home.jimmy.run("unsubscribe", "night radio").status == 0)
        let view = "jimmy podcasts --json | grep -o '\\\"id\\\":\\\"[^\\\"]*\\\"'; jimmy tag --dump; jimmy queue; jimmy episodes"
        // If nothing was done, once more does it.
        let runs = try kill(
            home, "jimmy undo", view: view, then: "cmp -s now after || jimmy undo; view > now; cmp now after && jimmy verify")
        #expect(runs > 10)
    }

    @Test func `download`() throws {
        let home = try Home()
        let audio = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        home.server.on("/a.mp3") { request in
            guard let range = request["Range"], let first = Int(range.dropFirst("bytes=".count).dropLast()), first < audio.count
            else { return Reply(headers: [("ETag", "\"a\"")], body: audio) }
            return Reply(
                206, headers: [("ETag", "\"a\""), ("Content-Range", "bytes \(first)-\(audio.count - 1)/\(audio.count)")],
                body: Array(audio[first...]))
        }
        let item =
            "<item><title>Part</title><guid>1</guid><enclosure url=\"\(home.server.url)/a.mp3\" type=\"audio/mpeg\"/></item>"
        home.server.on("/feed", .feed("<rss version=\"2.0\"><channel><title>Cast</title>\(item)</channel></rss>"))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/feed").status == 0)
        let runs = try kill(
            home, "jimmy download Part", view: "test -e audio/Cast/Part.mp3 && cat audio/Cast/Part.mp3; true",
            then: """
                jimmy download Part && [ "$(ls -A audio/Cast)" = Part.mp3 ] && cmp audio/Cast/Part.mp3 after \
                && [ "$(jimmy downloads | wc -l)" = 1 ] && jimmy verify
                """)
        #expect(runs > 20)
    }
}

/// What is loaded into the program.
private enum DiskCallShim {
    /// Counts the calls of all threads, and kills the program before the one with the number `KILL_AT`.
    static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <signal.h>
        #include <stdatomic.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        #include <sys/types.h>
        #include <unistd.h>
        static atomic_int calls;
        static void count(void) {
            const char *at = getenv("KILL_AT");
            if (at && atomic_fetch_add(&calls, 1) + 1 == atoi(at)) kill(getpid(), SIGKILL);
        }
        #define CALL(result, name, parameters, arguments) \\
            result name parameters { \\
                static result(*real) parameters; \\
                if (!real) real = dlsym(RTLD_NEXT, #name); \\
                count(); \\
                return real arguments; \\
            }
        CALL(ssize_t, write, (int a, const void *b, size_t c), (a, b, c))
        CALL(ssize_t, pwrite, (int a, const void *b, size_t c, off_t d), (a, b, c, d))
        CALL(ssize_t, pwrite64, (int a, const void *b, size_t c, off_t d), (a, b, c, d))
        CALL(int, ftruncate, (int a, off_t b), (a, b))
        CALL(int, fsync, (int a), (a))
        CALL(int, fdatasync, (int a), (a))
        CALL(int, syncfs, (int a), (a))
        CALL(int, rename, (const char *a, const char *b), (a, b))
        CALL(int, renameat, (int a, const char *b, int c, const char *d), (a, b, c, d))
        CALL(int, renameat2, (int a, const char *b, int c, const char *d, unsigned e), (a, b, c, d, e))
        CALL(int, link, (const char *a, const char *b), (a, b))
        CALL(int, linkat, (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e))
        CALL(int, unlink, (const char *a), (a))
        CALL(int, unlinkat, (int a, const char *b, int c), (a, b, c))
        CALL(int, mkdir, (const char *a, mode_t b), (a, b))
        CALL(int, mkdirat, (int a, const char *b, mode_t c), (a, b, c))
        CALL(int, rmdir, (const char *a), (a))
        """

    static let compiler = Program.find("cc") ?? Program.find("clang")
}

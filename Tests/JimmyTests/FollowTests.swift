import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// `jimmy play` with real players, which play into nothing.
@Suite struct FollowTests {
    /// One podcast with a queued episode of that many seconds, and a player that other runs of `play` get, which writes
    /// where it was told to begin.
    private func home(seconds: Int, isDownloaded: Bool = true) throws -> Home {
        let home = try Home()
        home.server.on("/1.wav", Reply(headers: [("Content-Type", "audio/wav")], body: Audio.silence(seconds: seconds)))
        home.server.on(
            "/feed",
            .feed(
                """
                <rss version="2.0"><channel><title>Cast</title><item><title>Part 1</title><guid>1</guid>
                <enclosure url="\(home.server.url)/1.wav" type="audio/wav"/></item></channel></rss>
                """))
        try Scripts.write("#!/bin/sh\necho \"$1\" > \"$HOME/start\"\nexit 3\n", to: home.folder + "/starter")
        _ = try home.jimmy.run("subscribe", home.server.url + "/feed")
        _ = try home.jimmy.run("queue", "add", "Part 1")
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        if isDownloaded { _ = try jimmy.run("download", "Part 1") }
        return home
    }

    /// Where the next playing begins, without the repetition.
    private func place(_ home: Home) throws -> Double {
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_PLAYER"] = "'\(home.folder)/starter' {start}"
        jimmy.environment["JIMMY_REWIND"] = "0s"
        _ = try jimmy.run("play", "Part 1")
        return try #require(Double(try home.text("start").split(separator: "\n").first ?? ""))
    }

    /// mpv ends a little after what it is asked last.
    private func isNear(_ second: Double, _ place: Double) -> Bool { (second - 0.5..<second + 1).contains(place) }

    /// - Parameter script: Lua that mpv runs as soon as it has played `second` seconds.
    private func mpv(_ home: Home, at second: Int, _ script: String, options: String = "") throws -> Program {
        let lua = """
            local done, id = false, require("mp.utils").getpid()
            mp.observe_property("time-pos", "number", function(_, now)
                if now and now >= \(second) and not done then done = true; \(script) end
            end)
            """
        try Scripts.write(lua, to: home.folder + "/script.lua")
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_PLAYER"] =
            "mpv --no-config --ao=null --really-quiet --script='\(home.folder)/script.lua' \(options)"
        jimmy.environment["XDG_RUNTIME_DIR"] = home.folder
        return jimmy
    }

    @Test func `quitting mpv keeps the place and the queue`() throws {
        let home = try home(seconds: 60)
        let socket = #"mp.get_property("input-ipc-server")"#
        let modes =
            #"os.execute("stat -c %a '" .. \#(socket) .. "' \"$(dirname '" .. \#(socket) .. "')\" > '\#(home.folder)/modes'")"#
        let run = try mpv(home, at: 2, modes + #"; mp.command("quit")"#).run("play")
        // Nobody else can tell the player anything.
        #expect(try home.text("modes") == "600\n700\n")
        #expect(run.status == 0)
        #expect(run.errors.hasPrefix("Stopped at 0:0"))
        #expect(run.errors.hasSuffix(" of 1:00; 'jimmy play' continues.\n"))
        #expect(try home.jimmy.run("queue").lines.count == 1)
        #expect(try home.jimmy.run("search", "is:played").output == "")
        #expect(isNear(2, try place(home)))
        // The starter failed, which changed nothing.
        #expect(isNear(2, try place(home)))
        // With an empty queue, the episode that was stopped last goes on.
        _ = try home.jimmy.run("queue", "clear")
        let next = try mpv(home, at: 13, #"mp.command("quit")"#).run("play", "--at", "0:12")
        #expect(next.errors.hasSuffix(" of 1:00; 'jimmy play' continues.\n"), "\(next.errors)")
        #expect(isNear(13, try place(home)))
        // Nothing is left of the socket.
        #expect(try Scripts.names(in: home.folder).filter { $0.hasPrefix("jimmy-") } == [])
    }

    @Test func `servers learn who asks`() throws {
        let home = try home(seconds: 2, isDownloaded: false)
        for jimmy in [try mpv(home, at: 1, #"mp.command("quit")"#), try vlc(home)] {
            home.server.forgetRequests()
            #expect(try jimmy.run("play", "Part 1", "--from-start").status == 0)
            let agents = home.server.requests(to: "/1.wav").flatMap(\.headers).filter { $0.name.lowercased() == "user-agent" }
            #expect(!agents.isEmpty && agents.allSatisfy { $0.value.hasPrefix("jimmy/") }, "\(agents)")
        }
    }

    @Test func `an episode heard to its end is played, and begins anew`() throws {
        let home = try home(seconds: 3)
        let run = try mpv(home, at: 9, "").run("play")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors == "")
        #expect(try home.jimmy.run("queue").output == "")
        #expect(try home.jimmy.run("search", "is:played").lines.count == 1)
        #expect(try place(home) == 0)
        let undone = try home.jimmy.run("undo")
        #expect(undone.output.hasPrefix("play\t"), "\(undone.output)")
        #expect(try home.jimmy.run("queue").lines.count == 1)
        #expect(try home.jimmy.run("search", "is:played").output == "")
        #expect(try home.jimmy.run("redo").status == 0)
        let nothing = try home.jimmy.run("play")
        #expect(nothing.status == 1)
        #expect(nothing.errors.contains("'jimmy play EPISODE'"))
    }

    @Test func `nobody goes on so near to the end`() throws {
        let home = try home(seconds: 60)
        #expect(try mpv(home, at: 55, #"mp.command("quit")"#).run("play", "--at", "54").errors.hasPrefix("Stopped at 0:5"))
        var jimmy = try mpv(home, at: 58, #"mp.command("quit")"#)
        jimmy.environment["JIMMY_PLAYED_WITHIN"] = "1s"
        #expect(try jimmy.run("play", "--at", "57").errors.hasPrefix("Stopped at 0:5"))
        jimmy.environment["JIMMY_PLAYED_WITHIN"] = "30s"
        #expect(try jimmy.run("play", "--at", "57").errors == "")
        #expect(try home.jimmy.run("search", "is:played").lines.count == 1)
    }

    @Test func `a paused, a fast and a stopped mpv are where they say`() throws {
        let home = try home(seconds: 60)
        // Time passes while it is paused.
        let pause = #"mp.set_property("pause", "yes"); mp.add_timeout(1.5, function() mp.command("quit") end)"#
        #expect(try mpv(home, at: 1, pause).run("play", "--from-start").errors.hasPrefix("Stopped at 0:0"))
        #expect(isNear(1, try place(home)))
        let fast = try mpv(home, at: 10, #"mp.command("quit")"#, options: "--speed=8").run("play", "--from-start")
        let place = try place(home)
        #expect((7..<15).contains(place), "\(fast.errors)")
        let stop = #"os.execute("echo " .. id .. " > '\#(home.folder)/pid'; kill -STOP " .. id)"#
        let stopped = try mpv(home, at: 1, stop + #"; mp.command("quit")"#).start(["play", "--from-start"])
        let id = try Scripts.wait { try pid_t(home.text("pid").split(separator: "\n").first ?? "") }
        _ = try Scripts.wait { try Scripts.state(of: id) == "T" ? true : nil }
        kill(id, SIGCONT)
        #expect(try stopped.end().errors.hasPrefix("Stopped at 0:0"))
        #expect(isNear(1, try self.place(home)))
    }

    @Test func `a killed mpv loses nothing, a killed jimmy ten seconds at most`() throws {
        let home = try home(seconds: 600)
        let die = #"os.execute("kill -9 " .. id)"#
        let killed = try mpv(home, at: 2, "mp.add_timeout(0.6, function() \(die) end)").run("play")
        #expect(killed.status == 1)
        #expect(killed.errors.contains(" of 10:00; 'jimmy play' continues."))
        #expect((1.5..<4).contains(try place(home)))

        let mark = #"os.execute("echo " .. id .. " > '\#(home.folder)/pid'")"#
        let run = try mpv(home, at: 100, mark, options: "--speed=10").start(["play", "--from-start"])
        let id = try Scripts.wait { try pid_t(home.text("pid").split(separator: "\n").first ?? "") }
        run.signal(SIGKILL)
        kill(id, SIGKILL)
        _ = try run.end()
        // At ten times the speed, ten seconds are a hundred; it stores more often.
        let place = try place(home)
        #expect((20...101).contains(place))
    }

    @Test func `a place is kept though the server sends no ranges`() throws {
        let home = try home(seconds: 600, isDownloaded: false)
        let begin = ContinuousClock.now
        let run = try mpv(home, at: 501, #"mp.command("quit")"#).run("play", "--at", "8:20")
        #expect(run.errors.hasPrefix("Stopped at 8:2"), "\(run.errors)")
        #expect(isNear(501, try place(home)))
        // From the beginning it would take eight minutes.
        #expect(begin.duration(to: .now) < .seconds(300))
        #expect(home.server.requests(to: "/1.wav").contains { $0["Range"] != nil })
    }

    @Test func `a bookmark set while mpv plays, stands still, or was quit is where it is`() throws {
        let home = try home(seconds: 600)
        let mark = #"os.execute("echo " .. id .. " > '\#(home.folder)/paused'")"#
        let pause = #"mp.set_property("pause", "yes"); \#(mark)"#
        let run = try mpv(home, at: 7, pause).start(["play", "--from-start"])
        /// Marks, and removes the mark.
        func place() throws -> Int? {
            let marked = try home.jimmy.run("mark", "Part 1")
            let seconds = try home.jimmy.run("marks", "--json").output.firstMatch(of: /"seconds":([0-9]+)/)?.1
            _ = try home.jimmy.run("mark", "--remove", "Part 1")
            return marked.status == 0 ? seconds.flatMap { Int($0) } : nil
        }
        // While it plays, the place moves on between two stores.
        let playing = try Scripts.wait { try place() }
        #expect((4...8).contains(playing), "\(playing)")
        let id = try Scripts.wait { try pid_t(home.text("paused").split(separator: "\n").first ?? "") }
        let paused = ContinuousClock.now
        var places: [Int] = []
        while paused.duration(to: .now) < .seconds(5) {
            if let place = try place() { places.append(place) }
            usleep(300_000)
        }
        // It takes a moment until a player counts as paused.
        #expect(places.allSatisfy { (6...9).contains($0) } && places.last == 7, "\(places)")
        kill(id, SIGTERM)
        _ = try run.end()
        #expect(try place() == 7)
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `an interrupt ends the player too, and the place is kept`(signal: Int32, status: Int32) throws {
        let home = try home(seconds: 60)
        let followed = try mpv(home, at: 2, #"io.open(os.getenv("HOME") .. "/begun", "w"):write("1"):close()"#)
        try Scripts.write(
            "#!/bin/sh\ntrap 'kill $!; exit 3' INT TERM\nsleep 60 & sleep 1.5; echo 1 > \"$HOME/begun\"; wait\n",
            to: home.folder + "/other")
        var timed = home.jimmy
        timed.environment["JIMMY_PLAYER"] = "'\(home.folder)/other' {start} {file}"
        for jimmy in [followed, timed] {
            unlink(home.folder + "/begun")
            let run = try jimmy.start(["play", "--at", "1"])
            _ = try Scripts.wait { try? home.text("begun") }
            run.signal(signal)
            let end = try run.end()
            #expect(end.status == status)
            #expect(end.errors.hasPrefix("Stopped at 0:0") && end.errors.hasSuffix("'jimmy play' continues.\n"), "\(end.errors)")
            #expect(try (2..<10).contains(place(home)))
            let undone = try home.jimmy.run("undo").output
            #expect(undone.hasPrefix("play\tposition: 0:0") && undone.hasSuffix(" → 0:00\n"), "\(undone)")
        }
    }

    /// VLC refuses to be root, but believes a user namespace.
    ///
    /// - Parameter starter: the program that starts it; empty for none.
    private func vlc(_ home: Home, by starter: String = "") throws -> Program {
        let root = getuid() == 0 ? "unshare --user --map-user=1000 " : ""
        try Scripts.write(
            "#!/bin/sh\necho $$ > \"$HOME/pid\"\n"
                + "exec \(starter) \(root)/usr/bin/vlc -I dummy --aout=adummy \"$@\" 2>/dev/null\n",
            to: home.folder + "/vlc")
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_PLAYER"] = "'\(home.folder)/vlc' --play-and-exit"
        return jimmy
    }

    @Test(.foldersOnly("it looks into the library's files")) func `VLC is followed as mpv is`() throws {
        let home = try home(seconds: 60)
        let jimmy = try vlc(home)
        for (signal, status) in [(SIGTERM, Int32(0)), (SIGKILL, 1)] {
            let before = try? home.text("library/positions.json")
            let run = try jimmy.start(["play", "--at", "7"])
            // The first place is stored while it plays.
            _ = try Scripts.wait { try home.text("library/positions.json") != before ? true : nil }
            kill(try #require(pid_t(home.text("pid").split(separator: "\n").first ?? "")), signal)
            let end = try run.end()
            #expect(end.status == status, "\(end.errors)")
            #expect(end.errors.contains("of 1:00; 'jimmy play' continues."), "\(end.errors)")
            #expect((10..<30).contains(try place(home)))
        }
        let played = try jimmy.run("play", "--at", "58")
        #expect(played.status == 0, "\(played.errors)")
        #expect(try home.jimmy.run("search", "is:played").lines.count == 1)
        // The file is gone, and so is the server's.
        try Scripts.names(in: home.folder + "/audio/Cast").forEach { unlink(home.folder + "/audio/Cast/" + $0) }
        home.server.on("/1.wav", Reply(404))
        let failed = try jimmy.run("play", "Part 1")
        #expect(failed.status == 1)
        #expect(failed.errors.contains("played nothing; nothing changed"))
    }

    @Test func `other players are measured by the time that they ran`() throws {
        let home = try home(seconds: 60)
        var jimmy = home.jimmy
        try Scripts.write("#!/bin/sh\necho $$ > \"$HOME/pid\"\nkill -STOP $$\n", to: home.folder + "/other")
        jimmy.environment["JIMMY_PLAYER"] = "'\(home.folder)/other' {start} {file}"
        let run = try jimmy.start(["play", "--at", "7"])
        let id = try Scripts.wait { try pid_t(home.text("pid").split(separator: "\n").first ?? "") }
        _ = try Scripts.wait { try Scripts.state(of: id) == "T" ? true : nil }
        let begin = ContinuousClock.now
        while begin.duration(to: .now) < .seconds(2) { usleep(10_000) }
        kill(id, SIGCONT)
        #expect(try run.end().errors == "Stopped at 0:07; 'jimmy play' continues.\n")
        #expect((7..<8).contains(try place(home)))
    }

    @Test func `the time of other players counts at the podcast's speed`() throws {
        let home = try home(seconds: 60)
        var jimmy = home.jimmy
        try Scripts.write("#!/bin/sh\nsleep 1.1\n", to: home.folder + "/other")
        jimmy.environment["JIMMY_PLAYER"] = "'\(home.folder)/other' {start} {file}"
        _ = try jimmy.run("edit", "Cast", "--speed", "4")
        #expect(try jimmy.run("play", "--at", "7").errors.hasPrefix("Stopped at 0:1"))
        #expect(try place(home) >= 7 + 4)
    }

    @Test func `an episode is heard to its end without its outro`() throws {
        let home = try home(seconds: 60)
        _ = try home.jimmy.run("edit", "Cast", "--skip-outro", "56s")
        let run = try mpv(home, at: 60, "").run("play")
        #expect(run.status == 0 && run.errors == "", "\(run.errors)")
        #expect(try home.jimmy.run("search", "is:played").lines.count == 1)
        #expect(try home.jimmy.run("queue").output == "")
    }

    @Test func `the speed of a podcast reaches VLC, and a stopped VLC stands still`() throws {
        let home = try home(seconds: 60)
        _ = try home.jimmy.run("edit", "Cast", "--speed", "4")
        let jimmy = try vlc(home)
        let begin = ContinuousClock.now
        let run = try jimmy.start(["play", "--at", "2"])
        let id = try Scripts.wait { try pid_t(home.text("pid").split(separator: "\n").first ?? "") }
        // It plays for three seconds, stands still for two, and plays for one.
        for (signal, seconds) in [(0, 3.0), (SIGSTOP, 2), (SIGCONT, 1)] {
            if signal != 0 { kill(id, signal) }
            let start = ContinuousClock.now
            while start.duration(to: .now) < .seconds(seconds) { usleep(10_000) }
        }
        kill(id, SIGTERM)
        let end = try run.end()
        #expect(end.errors.contains(" of 1:00; 'jimmy play"), "\(end.errors)")
        let ran = begin.duration(to: .now) / .seconds(1)
        // VLC needs a moment to begin; while it stood still, nothing was heard.
        let place = try place(home)
        #expect(place > 4 && place < 2 + (ran - 2) * 4 + 1, "\(place) after \(ran)")
        let heard = try home.jimmy.run("history", "--json").output.firstMatch(of: /"seconds":([0-9.]+)\}/)?.1
        #expect(try #require(heard.flatMap { Double($0) }) <= place)
    }

    /// A program between jimmy and VLC's remote control, which passes everything on, and pauses VLC as a person would who
    /// presses a key: after three seconds of playing, for four.
    private let pausingProxy = #"""
        import os, select, socket, subprocess, sys, time
        path = next(a for a in sys.argv if a.startswith("--rc-unix="))[10:]
        inner = path + "-vlc"
        listener = socket.socket(socket.AF_UNIX); listener.bind(path); listener.listen(1)
        child = subprocess.Popen([a.replace(path, inner) for a in sys.argv[1:]])
        open(os.environ["HOME"] + "/pid", "w").write("%d\n" % child.pid)
        jimmy, _ = listener.accept()
        vlc = socket.socket(socket.AF_UNIX)
        while child.poll() is None:
            try: vlc.connect(inner); break
            except OSError: time.sleep(0.05)
        moments = []
        while child.poll() is None:
            for ready in select.select([jimmy, vlc], [], [], 0.1)[0]:
                data = ready.recv(65536)
                if not data: break
                if ready is vlc and not moments and any(l.strip() not in (b"", b"0", b">") and l.strip().isdigit() and int(l) < 60
                                                        and int(l) > 7 for l in data.split(b"\n")):
                    moments = [time.time() + 3, time.time() + 7]
                try: (vlc if ready is jimmy else jimmy).sendall(data)
                except OSError: pass
            if moments and moments[0] and time.time() > moments[0]: vlc.sendall(b"pause\n"); moments[0] = 0
            if moments and moments[1] and time.time() > moments[1]:
                vlc.sendall(b"pause\n"); moments[1] = 0
                open(os.environ["HOME"] + "/resumed", "w").write("yes\n")
        if os.path.exists(inner): os.unlink(inner)
        sys.exit(child.returncode if child.returncode >= 0 else 128 - child.returncode)
        """#

    @Test func `VLC that is paused and resumed is where it says`() throws {
        let home = try home(seconds: 60)
        try home.write(pausingProxy, to: "proxy.py")
        var jimmy = try vlc(home, by: "/usr/bin/python3 \"$HOME/proxy.py\"")
        jimmy.environment["XDG_RUNTIME_DIR"] = home.folder
        let run = try jimmy.start(["play", "--at", "7"])
        let begin = ContinuousClock.now
        _ = try Scripts.wait { try? home.text("resumed") }
        let resumed = ContinuousClock.now
        while resumed.duration(to: .now) < .seconds(2) { usleep(10_000) }
        kill(try #require(pid_t(home.text("pid").split(separator: "\n").first ?? "")), SIGTERM)
        let end = try run.end()
        let ran = begin.duration(to: .now) / .seconds(1)
        #expect(end.errors.contains(" of 1:00; 'jimmy play"), "\(end.errors)")
        let place = try place(home)
        // Three seconds of playing, and two after the pause of four.
        #expect(place >= 7 + 3 && place <= 7 + ran - 4 + 1.5, "\(place) after \(ran)")
        let heard = try home.jimmy.run("history", "--json").output.firstMatch(of: /"seconds":([0-9.]+)\}/)?.1
        #expect(try #require(heard.flatMap { Double($0) }) <= place - 7 + 0.5)
    }
}

import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// `jimmy history`, `jimmy next`, and the settings of a podcast that a player gets.
@Suite struct HistoryTests {
    @Test func `what was heard is listed, and what comes next`() throws {
        let home = try Home()
        var jimmy = home.jimmy
        try home.subscribe("Night Radio", episodes: 3)
        try home.subscribe("Harbor", episodes: 1)
        try Scripts.write("#!/bin/sh\nsleep 1.2\n", to: home.folder + "/other")
        jimmy.environment["JIMMY_PLAYER"] = "'\(home.folder)/other' {start} {file}"
        let nothing = try jimmy.run("history")
        #expect(nothing.status == 0)
        #expect(nothing.output == "")
        #expect(try jimmy.run("next").status == 1)
        #expect(try jimmy.run("next", "Night Radio").records.map { $0[3] } == ["Night Radio 3"])
        _ = try jimmy.run("play", "Night Radio 2", "--at", "40")
        #expect(try jimmy.run("next").records.map { $0[3] } == ["Night Radio 2"])
        #expect(try jimmy.run("next", "Night Radio").records.map { $0[3] } == ["Night Radio 2"])
        #expect(try jimmy.run("next", "Harbor").records.map { $0[3] } == ["Harbor 1"])
        _ = try jimmy.run("tag", "+played", "Harbor 1")
        #expect(try jimmy.run("next", "Harbor").status == 1)
        #expect(try jimmy.run("history").records.map { $0[3] } == ["Night Radio 2"])
        #expect(try jimmy.run("history", "--json").output.contains(#""heardAt""#))
        #expect(try jimmy.run("history", "Harbor").output == "")
        #expect(try jimmy.run("chart", "--json").output.contains(#""heard":1."#))
        let chart = try home.jimmy.onTerminal("chart", columns: 80).output
        #expect(chart.contains("Hours heard per podcast"), "\(chart)")
        #expect(try jimmy.run("history", "--since", "whenever").status == 64)
        #expect(try jimmy.run("history", "--since", "today", "Night Radio").lines.count == 1)
    }

    @Test func `a podcast's speed and skips reach its player`() throws {
        let home = try Home()
        var jimmy = home.jimmy
        try home.subscribe("Night Radio", episodes: 1)
        mkdir(home.folder + "/bin", 0o700)
        try Scripts.write("#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/played\"\n", to: home.folder + "/bin/mpv")
        jimmy.environment["JIMMY_PLAYER"] = home.folder + "/bin/mpv"
        let edit = try jimmy.run("edit", "Night Radio", "--speed", "1.4", "--skip-intro", "45s", "--skip-outro", "30s")
        #expect(edit.errors.contains("speed: 1.0 → 1.4"))
        _ = try jimmy.run("play", "Night Radio 1")
        let words = try home.text("played").split(separator: "\n").map(String.init)
        #expect(["--start=45", "--speed=1.4", "--end=-30"].allSatisfy(words.contains), "\(words)")
        #expect(try jimmy.run("edit", "Night Radio", "--speed", "9").status == 64)
        _ = try jimmy.run("edit", "Night Radio", "--speed", "default", "--skip-intro", "default", "--skip-outro", "default")
        _ = try jimmy.run("play", "Night Radio 1", "--from-start")
        #expect(try !home.text("played").contains("--speed"))
        #expect(try jimmy.run("verify").status == 0)
    }
}

import Glibc
import Testing

/// The systemd units that `scripts/stage` installs, and their commands.
@Suite(.enabled(if: Program.find("systemd-analyze") != nil, "systemd is not installed"))
struct SystemdTests {
    private let home: Home
    private var units: String { home.folder + "/prefix/lib/systemd/user" }

    /// Installs the program that is tested, without man pages.
    init() throws {
        home = try Home()
        for folder in ["repository", "repository/scripts"] { mkdir("\(home.folder)/\(folder)", 0o700) }
        for (name, script) in [("release", "echo '\(Program.path)'"), ("manual", ": >\"$2/jimmy.1\"")] {
            try Scripts.write("#!/bin/sh\n\(script)\n", to: "\(home.folder)/repository/scripts/\(name)")
        }
        let run = try home.run(
            script: """
                cp '\(Scripts.root)/scripts/stage' '\(Scripts.root)/scripts/usage' repository/scripts
                repository/scripts/stage "$HOME/prefix"
                """)
        guard run.status == 0 else { throw TestFailure(run.errors) }
    }

    /// The values of a unit, by their names.
    private func values(of unit: String) throws -> [String: String] {
        let pairs = try String(reading: "\(units)/\(unit)").split(separator: "\n").compactMap { line in
            line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[$0...].dropFirst())) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test func `systemd finds nothing to say about the units`() throws {
        let names = try Scripts.names(in: units).sorted()
        #expect(
            names == [
                "jimmy-serve.service", "jimmy-transcribe.service", "jimmy-transcribe.timer", "jimmy-worker.service",
                "jimmy.service", "jimmy.timer",
            ])
        let run = try home.run(script: "XDG_RUNTIME_DIR=$PWD systemd-analyze --user --man=no verify prefix/lib/systemd/user/*")
        #expect(run.status == 0 && run.output + run.errors == "", "\(run.output)\(run.errors)")
    }

    @Test func `transcripts are made at night, and everything else goes first`() throws {
        let timer = try values(of: "jimmy-transcribe.timer")
        let hour = timer["OnCalendar"].flatMap { $0.wholeMatch(of: /\*-\*-\* (\d\d):\d\d/) }.flatMap { Int($0.1) }
        #expect(hour.map { $0 < 6 } == true, "\(timer)")
        #expect(timer["WantedBy"] == "timers.target")
        let service = try values(of: "jimmy-transcribe.service")
        #expect(service["Nice"] == "19" && service["IOSchedulingClass"] == "idle", "\(service)")
    }

    /// A unit without a program of its name beside it, or with an option that does not exist, would fail unseen.
    @Test(arguments: ["jimmy", "jimmy-transcribe"]) func `the command of a unit does its work`(unit: String) throws {
        try NumberedAudio.install(in: home)
        try home.subscribe("Numbers")
        let command = try #require(try values(of: unit + ".service")["ExecStart"])
        let run = try home.run(script: command)
        #expect(run.status == 0 && run.output + run.errors == "", "\(command): \(run.output)\(run.errors)")
    }
}

import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// `jimmy mark` and `jimmy marks`.
@Suite struct MarkTests {
    private func home() throws -> Home {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 2)
        try home.subscribe("Harbor", episodes: 1)
        return home
    }

    private func marks(_ jimmy: Program, _ names: String...) throws -> [String] {
        try jimmy.run(["marks"] + names).records.map { $0[2...].joined(separator: "|") }
    }

    @Test func `bookmarks are set, listed, shown, exported, found and taken back`() throws {
        let home = try home()
        let jimmy = home.jimmy
        #expect(try jimmy.run("marks").output == "")
        let set = try jimmy.run("mark", "Harbor 1", "1:30", "the", "*bell*")
        #expect(set.errors == "Marked Harbor 1 at 1:30: the *bell*.\n")
        _ = try jimmy.run("mark", "Harbor 1", "12")
        _ = try jimmy.run("mark", "Night Radio 2", "1:02:03", "fog")
        #expect(try Set(marks(jimmy)) == ["Harbor 1|0:12|", "Harbor 1|1:30|the *bell*", "Night Radio 2|1:02:03|fog"])
        #expect(try marks(jimmy, "Night Radio") == ["Night Radio 2|1:02:03|fog"])
        #expect(try marks(jimmy, "Harbor 1", "Night Radio").count == 3)
        #expect(try jimmy.run("marks", "Night Radio", "--json").output.contains(#""seconds":3723,"note":"fog","markedAt":""#))
        #expect(try jimmy.run("show", "Harbor 1").output.contains("1:30 the *bell*"))
        #expect(try jimmy.run("show", "Harbor 1", "--json").output.contains(#""marks":[{"seconds":12,"#))
        let markdown = try jimmy.run("export", "markdown").output
        #expect(markdown.contains(#"  - [1:30](<http://media.example/1.mp3#t=90>) the \*bell\*"# + "\n"), "\(markdown)")
        #expect(markdown.contains("  - [0:12](<http://media.example/1.mp3#t=12>)\n"), "\(markdown)")
        #expect(try jimmy.run("search", "mark:bell").records.map { $0[3] } == ["Harbor 1"])
        #expect(try jimmy.run("episodes", "--query", "mark:nothing").output == "")
        #expect(try jimmy.run("search", "has:marks", "-mark:fog").lines.count == 1)

        let gone = try jimmy.run("mark", "--remove", "Harbor 1", "1:30")
        #expect(gone.errors == "1 bookmark removed from Harbor 1.\n")
        #expect(try jimmy.run("mark", "--remove", "Harbor 1", "1:30").status == 1)
        #expect(try jimmy.run("undo").output == "mark\tbookmark back: 1:30 the *bell*\n")
        #expect(try jimmy.run("redo").output == "mark\tbookmark removed: 1:30 the *bell*\n")
        #expect(try jimmy.run("undo", "--list").records.filter { $0[2] == "mark" }.count == 4)
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `a mistyped time is no note, and a note that is replaced is told`() throws {
        let home = try home()
        let jimmy = home.jimmy
        _ = try jimmy.run("mark", "Harbor 1", "5:00", "the bell")
        for time in ["99:99", "1:2:3:4", "12:"] {
            let run = try jimmy.run("mark", "Harbor 1", time, "the bell")
            #expect(run.status == 64 && run.errors.hasPrefix("jimmy: mark: '\(time)' is not a time such as"), "\(run.errors)")
        }
        let again = try jimmy.run("mark", "Harbor 1", "5:00")
        #expect(
            again.errors
                == "Marked Harbor 1 at 5:00.\nIt replaces: 5:00 the bell; 'jimmy undo' brings that back.\n")
        #expect(try jimmy.run("mark", "Harbor 1", "5:00").errors == "Marked Harbor 1 at 5:00.\n")
        #expect(try jimmy.run("undo").output == "mark\tbookmark back: 5:00 the bell\tbookmark removed: 5:00\n")
    }

    @Test func `without a time the place is where the episode was stopped`() throws {
        let home = try home()
        var jimmy = home.jimmy
        try Scripts.write("#!/bin/sh\nsleep 1.2\n", to: home.folder + "/other")
        jimmy.environment["JIMMY_PLAYER"] = "'\(home.folder)/other' {start} {file}"
        let early = try jimmy.run("mark")
        #expect(early.status == 1)
        #expect(early.errors.hasPrefix("jimmy: mark: nothing was played yet"))
        let unheard = try jimmy.run("mark", "Harbor 1", "a note")
        #expect(unheard.status == 1)
        #expect(unheard.errors.contains("was not begun"), "\(unheard.errors)")
        _ = try jimmy.run("play", "Harbor 1", "--at", "40")
        #expect(try jimmy.run("mark", "--note", "here").errors.hasPrefix("Marked Harbor 1 at 0:4"))
        #expect(try jimmy.run("mark", "Harbor 1", "again").errors.hasPrefix("Marked Harbor 1 at 0:4"))
        #expect(try jimmy.run("mark", "5:00", "typed", "words").errors == "Marked Harbor 1 at 5:00: typed words.\n")
        #expect(try jimmy.run("mark", "Harbor", "6:00").errors == "Marked Harbor 1 at 6:00.\n")
    }

    @Test(.foldersOnly("it copies a folder")) func `bookmarks outlive the subscription, and are copied`() throws {
        let home = try home()
        let jimmy = home.jimmy
        _ = try jimmy.run("mark", "Harbor 1", "1:30", "bell")
        _ = try jimmy.run("unsubscribe", "Harbor")
        #expect(try marks(jimmy) == [])
        try home.subscribe("Harbor", episodes: 1)
        #expect(try marks(jimmy) == ["Harbor 1|1:30|bell"])
        let copied = try jimmy.run("library", "copy", home.library, home.folder + "/copy")
        #expect(copied.status == 0, "\(copied.errors)")
        #expect(try marks(jimmy, "--library", home.folder + "/copy") == ["Harbor 1|1:30|bell"])
    }

    @Test(arguments: [
        ["mark", "--remove"], ["mark", "--remove", "Harbor 1", "1:30", "note"], ["mark", "Harbor 1", "1:30", "a", "--note", "b"],
        ["mark", "Harbor 1", "1:30", String(repeating: "x", count: 2_001)],
    ])
    func `what cannot be meant is refused`(_ arguments: [String]) throws {
        let run = try home().jimmy.run(arguments)
        #expect(run.status == 64)
        #expect(run.errors.hasPrefix("jimmy: "))
    }
}

import ProgramSupport
import ProgramSupport
import Testing

/// What somebody types first who knows other podcast programs.
@Suite struct GuessTests {
    /// What is typed, and the commands that the answer names, in order.
    private static let table: [(typed: String, answers: [String])] = [
        ("new", ["episodes --new"]), ("latest", ["episodes --new"]), ("unread", ["episodes --new"]),
        ("inbox", ["episodes --new"]), ("today", ["episodes --new"]),
        ("rename Wire", ["edit PODCAST --title TITLE"]), ("resume", ["play", "edit PODCAST --resume"]),
        ("continue", ["play", "edit PODCAST --resume"]), ("pause Wire", ["edit PODCAST --pause"]),
        ("stop Wire", ["edit PODCAST --pause", "unsubscribe"]), ("listen", ["play"]), ("start", ["play"]),
        ("subscriptions", ["podcasts"]), ("subs", ["podcasts"]), ("feeds", ["podcasts"]), ("shows", ["podcasts"]),
        ("list", ["podcasts", "episodes"]), ("ls", ["podcasts", "episodes"]),
        ("add URL", ["subscribe", "queue add"]), ("sub URL", ["subscribe"]), ("follow URL", ["subscribe"]),
        ("unsub Wire", ["unsubscribe"]), ("unfollow Wire", ["unsubscribe"]),
        ("rm Wire", ["unsubscribe", "queue remove", "downloads remove"]),
        ("remove Wire", ["unsubscribe", "queue remove", "downloads remove"]),
        ("delete Wire", ["unsubscribe", "queue remove", "downloads remove"]),
        ("update", ["refresh"]), ("sync", ["refresh"]), ("pull", ["refresh"]), ("reload", ["refresh"]),
        ("fetch", ["refresh", "download"]), ("get Wire", ["download"]), ("dl Wire", ["download"]),
        ("find sea", ["search"]), ("grep sea", ["search"]), ("info Wire", ["show"]), ("details Wire", ["show"]),
        ("transcript Wire", ["show --transcript EPISODE"]),
        ("favourites", ["search is:starred"]), ("favorites", ["search is:starred"]),
        ("starred", ["search is:starred"]), ("fav Wire", ["star"]), ("like Wire", ["star"]),
        ("bookmark Wire", ["mark"]), ("bookmarks", ["marks"]), ("tags", ["tag"]),
        ("finished Wire", ["played", "seen"]), ("read Wire", ["played", "seen"]), ("catchup", ["seen"]),
        ("skip", ["queue next --done", "seen"]), ("enqueue Wire", ["queue add"]), ("playlist", ["queue"]),
        ("log", ["history"]), ("browse", ["discover"]), ("random", ["suggest"]), ("stats", ["chart", "status"]),
        ("settings", ["config"]), ("set speed 2", ["config"]),
        ("login Wire", ["subscribe --user NAME URL", "edit PODCAST --user NAME"]),
        ("backup", ["library copy", "opml export"]), ("restore", ["import"]), ("migrate", ["import"]), ("web", ["serve"]),
        ("cleanup", ["downloads remove"]), ("version", ["--version"]), ("doctor", ["verify --repair"]),
        // Misspelt.
        ("serach sea", ["search"]), ("subcribe URL", ["subscribe"]), ("unsuscribe Wire", ["unsubscribe"]),
        ("refrsh", ["refresh"]),
        ("epsiodes", ["episodes"]), ("podcast", ["podcasts"]), ("dowload Wire", ["download"]), ("plya", ["play"]),
        ("histroy", ["history"]), ("quue", ["queue"]), ("discvoer sea", ["discover"]), ("hlep", ["help"]),
        ("queue ad Wire", ["queue add"]), ("queue nxt", ["queue next"]), ("queue rm Wire", ["queue remove"]),
        ("queue ls", ["queue list"]), ("queue push Wire", ["queue add"]), ("queue pop", ["queue next --done"]),
        ("queue claer", ["queue clear"]), ("opml exprt", ["opml export"]), ("opml save", ["opml export"]),
        ("opml imprt x", ["opml import"]), ("downloads rm Wire", ["downloads remove"]), ("library backup", ["library copy"]),
    ]

    @Test(arguments: table)
    func `a guess is answered with the commands that do it, and they exist`(typed: String, answers: [String]) throws {
        let home = try Home()
        let run = try home.jimmy.run(typed.split(separator: " ").map(String.init))
        #expect(run.status == 64)
        #expect(run.output == "" && run.errorLines.count == 1)
        let quoted = answers.map { "'\($0)'" }
        let last = quoted.count > 1 ? " or " + quoted[quoted.count - 1] : ""
        let meant = quoted.dropLast(quoted.count > 1 ? 1 : 0).joined(separator: ", ") + last
        #expect(run.errors.hasSuffix("; did you mean \(meant)?\n"), "\(run.errors)")
        for answer in answers where !answer.hasPrefix("--") && answer != "help" && (answer != "serve" || Program.hasServer) {
            // The words of the command itself, without options and placeholders.
            let command = answer.split(separator: " ").prefix { $0.allSatisfy(\.isLowercase) }.map(String.init)
            #expect(try home.jimmy.run(command + ["--help"]).status == 0, "\(answer)")
            let options = answer.split(separator: " ").filter { $0.hasPrefix("--") }
            let help = try home.jimmy.run(command + ["--help"]).output
            for option in options { #expect(help.contains(option), "\(answer)") }
        }
    }

    @Test(arguments: [
        "history", "star Wire", "unstar Wire", "played Wire", "next", "mark", "marks", "queue list", "undo", "redo",
    ])
    func `words that many guess are commands`(typed: String) throws {
        #expect(try !Home().jimmy.run(typed.split(separator: " ").map(String.init)).errors.contains("no such command"))
    }

    @Test func `nobody guesses a word that is like no other`() throws {
        #expect(try Home().jimmy.run("xyzzy").errors == "jimmy: no such command: 'xyzzy'; see 'jimmy --help'\n")
        let home = try Home()
        try home.subscribe("Wire")
        #expect(try home.jimmy.run("search", "tgs:x").errors.contains("did you mean 'tag:x'"))
    }
}

import Glibc
import LoopbackServer
import Testing

/// What the shells' completion scripts ask the program for.
@Suite struct CompletionTests {
    private func offered(_ home: Home, _ words: [String], argument: String, shell: String = "bash") throws -> [String] {
        var jimmy = home.jimmy
        jimmy.environment["SAP_SHELL"] = shell
        let subcommands = argument.split(separator: " ").dropLast().map(String.init)
        let key = argument.split(separator: " ").last.map(String.init) ?? ""
        return try jimmy.run(["---completion"] + subcommands + ["--", key, "\(words.count - 1)", "0"] + words).lines
    }

    @Test func `podcasts are offered by title, and by an id that somebody has begun`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio")
        #expect(try offered(home, ["jimmy", "explain", ""], argument: "explain positional@0") == ["Night Radio"])
        let begun = try offered(home, ["jimmy", "explain", String(id.prefix(3))], argument: "explain positional@0")
        #expect(begun.contains(id))
    }

    @Test func `a title that a shell could run is offered by its id`() throws {
        let home = try Home()
        home.server.on("/x", .feed(Home.feed("$(touch pwned) `id`", episodes: 1)))
        let id = try home.jimmy.run("subscribe", home.server.url + "/x").records[0][0]
        #expect(try offered(home, ["jimmy", "explain", ""], argument: "explain positional@0") == [id])
    }

    @Test func `episodes are offered by title, and by id where the title says nothing`() throws {
        let home = try Home()
        home.server.on(
            "/x",
            .feed(
                """
                <rss version="2.0"><channel><title>X</title>
                <item><title>Tea: a history</title><guid>1</guid></item><item><title>News</title><guid>2</guid></item>
                <item><title>News</title><guid>3</guid></item><item><title>$HOME</title><guid>4</guid></item></channel></rss>
                """))
        let id = try home.jimmy.run("subscribe", home.server.url + "/x").records[0][0]
        let words = ["jimmy", "queue", "add", ""]
        let bash = try offered(home, words, argument: "queue add positional@0")
        #expect(bash.contains("Tea: a history"))
        #expect(bash.filter { $0.hasPrefix(id + "-") }.count == 3)
        let zsh = try offered(home, words, argument: "queue add positional@0", shell: "zsh")
        #expect(zsh.contains(#"Tea\: a history"#))
        #expect(zsh.contains { $0.hasPrefix(id + "-") && $0.hasSuffix(":News (X)") })
        #expect(try home.jimmy.run("queue", "add", "tea:  a history").status == 0)
        #expect(try home.jimmy.run("queue", "add", "news").status == 64)
        #expect(try home.jimmy.run("show", "News").errors.contains("2 episodes match; use the id of one"))
        #expect(try offered(home, ["jimmy", "queue", "remove", ""], argument: "queue remove positional@0") == ["Tea: a history"])
        #expect(try home.jimmy.run("queue", "move", "TEA: A HISTORY", "1").status == 0)
        #expect(try home.jimmy.run("queue", "remove", "Tea: a history").status == 0)
        #expect(try home.jimmy.run("queue").lines.isEmpty)
    }

    // MARK: In the shells themselves

    /// What a shell prints when it runs a script with its completions loaded from ./completions; nil where it is not installed.
    private func run(_ shell: String, _ script: String, in home: Home) throws -> [String]? {
        guard Program.find(shell) != nil else {
            print("skipped: \(shell) is not installed")
            return nil
        }
        let file = try #require(fopen(home.folder + "/script", "w"))
        fputs(script, file)
        fclose(file)
        mkdir(home.folder + "/bin", 0o700)
        symlink(Program.path, home.folder + "/bin/jimmy")
        var program = home.jimmy
        program.environment["SHELL"] = "/bin/sh"
        program.prelude = """
            cd '\(home.folder)' && PATH="$PWD/bin:$PATH" && jimmy --generate-completion-script \(shell) > completions \
            && exec \(shell) script
            """
        let run = try program.run()
        #expect(run.errors == "")
        return run.lines
    }

    private func library() throws -> Home {
        let home = try Home()
        try home.subscribe("Night Radio")
        try home.subscribe("Night Trains")
        try home.subscribe("Deep Sea")
        return home
    }

    @Test func `bash completes titles`() throws {
        let script = """
            source ./completions
            ask() {
              COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMPREPLY=()
              _jimmy jimmy "${@: -1}" "${@: -2:1}"
              printf '%s\\n' "${COMPREPLY[@]}"
            }
            ask jimmy explain Ni
            ask jimmy queue add Deep
            ask jimmy search --podcast D
            ask jimmy config per
            ask jimmy help ex
            """
        guard let lines = try run("bash", script, in: try library()) else { return }
        #expect(
            lines == [
                "Night Radio", "Night Trains", "Deep Sea", "Deep Sea 2", "Deep Sea 1", "Deep Sea", "per-host", "export",
                "explain",
                "exit-codes",
            ])
    }

    @Test func `fish completes titles`() throws {
        let script = """
            source ./completions
            complete -C 'jimmy explain Ni'
            complete -C 'jimmy queue add Deep'
            complete -C 'jimmy search --podcast D'
            complete -C 'jimmy config per'
            complete -C 'jimmy help ex'
            """
        guard let lines = try run("fish", script, in: try library()) else { return }
        // Descriptions follow a tab.
        #expect(
            Set(lines.map { String($0.prefix { $0 != "\t" }) }) == [
                "Night Radio", "Night Trains", "Deep Sea 2", "Deep Sea 1", "Deep Sea", "per-host", "export",
                "explain", "exit-codes",
            ])
    }

    @Test(.enabled(if: Program.hasTerminals)) func `zsh completes titles`() throws {
        // Types in a zsh on a terminal of its own, and reads until the line is as it should be.
        let script = #"""
            mkdir functions && cp completions functions/_jimmy
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell "PS1='> '; fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -u -D; print rea''dy"
            zpty -r -m shell text '*ready*'
            zpty -w -n shell $'jimmy explain De\t'
            zpty -r -m shell text '*jimmy explain Deep*Sea*' && print podcast
            zpty -w -n shell $'\x15jimmy queue add Deep\t'
            zpty -r -m shell text '*queue add Deep*Sea*' && print episode
            zpty -w -n shell $'\x15jimmy help exi\t'
            zpty -r -m shell text '*help exit-codes*' && print topic
            zpty -d shell
            """#
        guard let lines = try run("zsh", script, in: try library()) else { return }
        #expect(lines == ["podcast", "episode", "topic"])
    }

    /// Titles with an apostrophe and quotes, with a common beginning.
    private func quotedLibrary() throws -> Home {
        let home = try Home()
        for (path, title) in [("/a", "Patron's Attic"), ("/b", "Patron Club"), ("/c", "Say &quot;Hi&quot;")] {
            home.server.on(path, .feed(Home.feed(title, episodes: 1)))
            #expect(try home.jimmy.run("subscribe", home.server.url + path).status == 0)
        }
        return home
    }

    @Test func `bash offers quoted titles, common beginnings and tags`() throws {
        let script = #"""
            source ./completions
            ask() {
              COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMPREPLY=()
              _jimmy jimmy "${@: -1}" "${@: -2:1}"
              printf '%s\n' "${COMPREPLY[@]}" | sort
            }
            ask jimmy unsubscribe Patron
            ask jimmy unsubscribe "Patron\'"
            ask jimmy unsubscribe '"Patron'"'"
            ask jimmy unsubscribe Say
            ask jimmy tag +st
            ask jimmy tag +starred 'Patron C'
            ask jimmy tag -pl
            """#
        guard let lines = try run("bash", script, in: try quotedLibrary()) else { return }
        #expect(
            lines == [
                "Patron Club", "Patron's Attic", "Patron's Attic", "Patron's Attic", "Say \"Hi\"", "+starred", "Patron Club",
                "Patron Club 1", "-played",
            ])
    }

    @Test func `fish offers quoted titles, common beginnings and tags`() throws {
        let script = """
            source ./completions
            complete -C 'jimmy unsubscribe Patron'
            complete -C 'jimmy unsubscribe Say'
            complete -C 'jimmy tag +st'
            complete -C 'jimmy tag -pl'
            """
        guard let lines = try run("fish", script, in: try quotedLibrary()) else { return }
        #expect(
            Set(lines.map { String($0.prefix { $0 != "\t" }) }) == [
                "Patron Club", "Patron's Attic", "Say \"Hi\"", "+starred", "-played",
            ])
    }

    @Test(.enabled(if: Program.hasTerminals)) func `zsh offers quoted titles and tags`() throws {
        let script = #"""
            mkdir functions && cp completions functions/_jimmy
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell "PS1='> '; fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -u -D; print rea''dy"
            zpty -r -m shell text '*ready*'
            zpty -w -n shell $'jimmy unsubscribe Say\t'
            zpty -r -m shell text '*Say*Hi*' && print quotes
            zpty -w -n shell $'\x15jimmy tag +st\t'
            zpty -r -m shell text '*+starred*' && print tag
            zpty -d shell
            """#
        guard let lines = try run("zsh", script, in: try quotedLibrary()) else { return }
        #expect(lines == ["quotes", "tag"])
    }

    @Test func `every shell gets its script`() throws {
        let home = try Home()
        for shell in ["bash", "zsh", "fish"] {
            let run = try home.jimmy.run("--generate-completion-script", shell)
            #expect(run.status == 0)
            #expect(run.output.contains("unsubscribe"))
            let short = try home.jimmy.run("completions", shell)
            #expect(short.status == 0)
            #expect(short.output == run.output)
        }
    }
}

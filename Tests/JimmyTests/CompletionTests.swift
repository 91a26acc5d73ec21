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

    @Test func `every shell gets its script`() throws {
        let home = try Home()
        for shell in ["bash", "zsh", "fish"] {
            let run = try home.jimmy.run("--generate-completion-script", shell)
            #expect(run.status == 0)
            #expect(run.output.contains("unsubscribe"))
        }
    }
}

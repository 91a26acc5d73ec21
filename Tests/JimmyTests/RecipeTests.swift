import Glibc
import LoopbackServer
import Testing

/// The commands that README and help suggest for `--on-new`, with what strangers may write into a feed.
@Suite struct RecipeTests {
    private static let titles = [
        "It's a trap", "$(touch owned)", "`touch owned`", "; touch owned #", "--help", "-u critical", "a \"quoted\" \\ title",
        "*",
        "%s %n", "two\nlines", "two\r\nlines", "a\u{2028}b", "tab\there", "  blanks  ", "| tee owned", "<b>bold</b>", "é 日本 🎙",
    ]

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\r", with: "&#13;").replacing(
            "\n", with: "&#10;")
    }

    private static func recipe(_ program: String) throws -> String {
        let readme = try String(
            reading: String(#filePath.prefix(upTo: try #require(#filePath.firstRange(of: "Tests/")).lowerBound)) + "README.md")
        let line = try #require(readme.split(separator: "\n").first { $0.contains("--on-new") && $0.contains(program) })
        let command = line.drop { $0 != "\"" }.dropFirst()
        return String(command[..<(try #require(command.lastIndex(of: "\"")))])
    }

    @Test(.enabled(if: Program.find("jq") != nil)) func `recipes get each title and URL once, as it is`() throws {
        let home = try Home()
        let urls = ["/it's.mp3", "/a%20b.mp3?x=1&amp;y=$(touch%20owned)", "/-n.mp3", "/;touch%20owned.mp3"]
        let items = Self.titles.enumerated().map { index, title in
            """
            <item><title>\(Self.escaped(title))</title><guid>\(index)</guid>
            <enclosure url="http://media.example\(urls[index % urls.count])\(index / urls.count)" type="audio/mpeg"/></item>
            """
        }
        home.server.on("/feed", .feed("<rss version=\"2.0\"><channel><title>Cast</title></channel></rss>"))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/feed").status == 0)
        home.server.on("/feed", .feed("<rss version=\"2.0\"><channel><title>Cast</title>\(items.joined())</channel></rss>"))
        mkdir(home.folder + "/bin", 0o755)
        for name in ["notify-send", "wget"] {
            try Scripts.write(
                "#!/bin/sh\nprintf '%s\\n' call >> '\(home.folder)/\(name)'\nprintf '[%s]\\n' \"$@\" >> '\(home.folder)/\(name)'\n",
                to: home.folder + "/bin/\(name)")
        }
        var jimmy = home.jimmy
        jimmy.environment["PATH"] = home.folder + "/bin:" + Program.searchPath
        jimmy.prelude = "cd '\(home.folder)'"
        #expect(try jimmy.run("refresh", "--all", "--on-new", Self.recipe("notify-send")).status == 0)
        let notified = try home.text("notify-send").split(separator: "\n").map(String.init)
        #expect(notified.count { $0 == "call" } == Self.titles.count)
        let titles = notified.filter { !["call", "[--]", "[New episode]"].contains($0) }
        #expect(titles.count == Self.titles.count, "\(titles)")
        for title in ["It's a trap", "$(touch owned)", "--help", "two lines", "*", "%s %n", "é 日本 🎙"] {
            #expect(titles.contains("[\(title)]"), "\(title): \(titles)")
        }
        #expect(access(home.folder + "/owned", F_OK) != 0)

        let again = try Home()
        again.server.on("/feed", .feed("<rss version=\"2.0\"><channel><title>Cast</title></channel></rss>"))
        var other = jimmy
        other.environment["JIMMY_LIBRARY"] = home.folder + "/second"
        mkdir(home.folder + "/second", 0o700)
        #expect(try other.run("subscribe", again.server.url + "/feed").status == 0)
        again.server.on("/feed", .feed("<rss version=\"2.0\"><channel><title>Cast</title>\(items.joined())</channel></rss>"))
        #expect(try other.run("refresh", "--all", "--on-new", Self.recipe("wget")).status == 0)
        let fetched = try home.text("wget").split(separator: "\n").map(String.init)
        #expect(fetched.count { $0 == "call" } == items.count)
        #expect(fetched.contains("[http://media.example/it's.mp30]"), "\(fetched)")
        #expect(access(home.folder + "/owned", F_OK) != 0)
    }
}

import Glibc
import LoopbackServer
import Testing

/// The settings file, environment variables and `--set`, as `jimmy config` and the commands see them.
@Suite struct SettingsTests {
    private func home(_ settings: String) throws -> Home {
        let home = try Home()
        for folder in ["/.config", "/.config/jimmy"] { mkdir(home.folder + folder, 0o700) }
        try write(settings, to: home.folder + "/.config/jimmy/config")
        return home
    }

    private func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }

    @Test func `an option wins over the environment, that over the file, that over what is built in`() throws {
        let home = try home("# mine\n\n  per-host=3\nconcurrency = 4\ntimeout = 5\n")
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_CONCURRENCY"] = "6"
        jimmy.environment["JIMMY_TIMEOUT"] = "7"
        let run = try jimmy.run("config", "--set", "timeout = 8")
        #expect(run.status == 0)
        let file = home.folder + "/.config/jimmy/config"
        let library = try #require(jimmy.environment["JIMMY_LIBRARY"])
        #expect(run.records.contains(["per-host", "3", "\(file):3"]))
        #expect(run.records.contains(["concurrency", "6", "$JIMMY_CONCURRENCY"]))
        #expect(run.records.contains(["timeout", "8", "--set"]))
        #expect(run.records.contains(["search-limit", "20", "default"]))
        #expect(run.records.contains(["library", library, "$JIMMY_LIBRARY"]))
        let json = try jimmy.run("config", "--json", "per-host")
        #expect(json.output == #"{"name":"per-host","value":"3","from":"file","file":"\#(file)","line":3}"# + "\n")
        #expect(try jimmy.run("config", "per-host").output == "3\n")
    }

    @Test func `a setting holds for the command that it is about, until an option says otherwise`() throws {
        let home = try home("search-limit = 1\nuser-agent = Ears/1\n")
        try home.subscribe("Night Radio", episodes: 3)
        #expect(home.server.requests.last?["User-Agent"] == "Ears/1")
        #expect(try home.jimmy.run("search", "radio").lines.count == 1)
        #expect(try home.jimmy.run("search", "radio", "--set", "search-limit=2").lines.count == 2)
        #expect(try home.jimmy.run("search", "radio", "--limit", "3").lines.count == 3)
    }

    @Test func `a contact is part of the User-Agent`() throws {
        let home = try home("contact = https://listener.example/about\n")
        try home.subscribe("Night Radio")
        #expect(home.server.requests.last?["User-Agent"]?.hasSuffix("; +https://listener.example/about)") == true)
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_CONTACT"] = "me@listener.example"
        #expect(try jimmy.run("refresh", "--all").status == 0)
        #expect(home.server.requests.last?["User-Agent"]?.hasSuffix("; +me@listener.example)") == true)
        #expect(try jimmy.run("refresh", "--all", "--set", "user-agent = Ears/1").status == 0)
        #expect(home.server.requests.last?["User-Agent"] == "Ears/1 (+me@listener.example)")
        for contact in ["nobody", "a b@c.example", "me@x.example (home)", "file:///etc/passwd", "@", "a@b@c.example"] {
            #expect(try jimmy.run("config", "--set", "contact = \(contact)").status == 64, "\(contact)")
        }
        #expect(try jimmy.run("help", "settings").output.contains("\n  contact "))
    }

    @Test func `on-new and colour can be set once`() throws {
        let home = try home("on-new = cat > \"$HOME/heard\"\ncolor = always\n")
        try home.subscribe("Night Radio")
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 3)))
        #expect(try home.jimmy.run("refresh", "--all").status == 0)
        #expect(access(home.folder + "/heard", R_OK) == 0)
        #expect(try home.jimmy.run("status").output.contains("\u{1B}[1m"))
    }

    @Test func `what cannot be used is one line that says where`() throws {
        let cases = [
            ("per-host = 2\nconcurency = 3\n", ":2: no such setting: 'concurency'; did you mean 'concurrency'?"),
            ("timeout = soon\n", ":1: 'soon' is not a valid value for timeout ("),
            ("\n\nhello\n", ":3: not of the form name = value"),
            ("library = here\n", ":1: 'here' is not a valid value for library"),
            ("max-size = \n", ":1: '' is not a valid value for max-size"),
            ("per-host = 99999999999999999999\n", ":1: '99999999999999999999' is not a valid value"),
            ("country = Germany\n", ":1: 'Germany' is not a valid value for country"),
            ("\u{1B}[31mred\u{202E} = 1\n", ":1: no such setting: '[31mred'"),
        ]
        for (settings, why) in cases {
            let home = try home(settings)
            let run = try home.jimmy.run("podcasts")
            #expect(run.status == (why.contains("no such setting") ? 64 : 65), "\(settings)")
            #expect(run.errorLines.count == 1)
            #expect(run.errors.contains("config" + why), "\(run.errors)")
        }
        let home = try Home()
        #expect(try home.jimmy.run("podcasts", "--set", "timeout=0").status == 64)
        #expect(try home.jimmy.run("podcasts", "--set", "nonsense").status == 64)
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_MAX_SIZE"] = "-1"
        let run = try jimmy.run("podcasts")
        #expect(run.status == 64)
        #expect(run.errors.hasPrefix("jimmy: $JIMMY_MAX_SIZE: '-1' is not a valid value for max-size"))
    }

    @Test func `the file that --init writes changes nothing, and is written once`() throws {
        let home = try Home()
        let before = try home.jimmy.run("config").output
        #expect(try home.jimmy.run("config", "--init").status == 0)
        #expect(try home.jimmy.run("config").output == before)
        let again = try home.jimmy.run("config", "--init")
        #expect(again.status == 1)
        #expect(again.errors.contains("already exists; not overwritten"))
    }

    @Test func `a setting is changed in the file, and nothing else in it`() throws {
        let home = try home("# mine\nper-host = 3\n\n# about timeouts\n#timeout = 60\nper-host=4\n")
        #expect(try home.jimmy.run("config", "set", "per-host", "5").errors == "per-host = 5\n")
        #expect(try home.jimmy.run("config", "set", "timeout", "9").status == 0)
        #expect(try home.jimmy.run("config", "set", "color", "never").status == 0)
        let path = home.folder + "/.config/jimmy/config"
        #expect(
            try String(reading: path)
                == "# mine\n\n# about timeouts\n#timeout = 60\ntimeout = 9\nper-host = 5\ncolor = never\n")
        #expect(try home.jimmy.run("config", "per-host").output == "5\n")
        #expect(try home.jimmy.run("config", "unset", "per-host").errors == "per-host is back to its default.\n")
        #expect(try home.jimmy.run("config", "per-host").output == "2\n")
        for arguments in [
            ["set", "library", "here"], ["set", "nope", "1"], ["set", "color"], ["unset"], ["set", "pager", "a\nb"],
        ] {
            #expect(try home.jimmy.run(["config"] + arguments).status == 64)
        }
    }

    @Test func `the first setting makes the file`() throws {
        let home = try Home()
        #expect(try home.jimmy.run("config", "set", "search-limit", "7").status == 0)
        #expect(try home.jimmy.run("config", "search-limit").output == "7\n")
    }

    @Test func `help is given whatever the settings file says`() throws {
        let home = try home("nonsense\n")
        #expect(try home.jimmy.run("--help").status == 0)
        #expect(try home.jimmy.run("help", "settings").output.contains("per-host"))
        #expect(try home.jimmy.run("--version").status == 0)
    }

    @Test func `a settings file may begin with a byte order mark`() throws {
        let home = try home("\u{FEFF}concurrency = 4\r\nquery.short = shorter:30m\r\n")
        #expect(try home.jimmy.run("config", "concurrency").output == "4\n")
        #expect(try home.jimmy.run("config", "set", "concurrency", "5").status == 0)
        #expect(try home.jimmy.run("config", "concurrency").output == "5\n")
    }

    @Test func `a settings file that is a symbolic link stays one`() throws {
        let home = try home("")
        let link = home.folder + "/.config/jimmy/config"
        unlink(link)
        mkdir(home.folder + "/dotfiles", 0o700)
        try home.write("per-host = 3\n", to: "dotfiles/jimmy")
        symlink("../../dotfiles/jimmy", link)
        #expect(try home.jimmy.run("config", "set", "concurrency", "5").status == 0)
        #expect(try home.text("dotfiles/jimmy").contains("concurrency = 5"))
        #expect(try home.jimmy.run("config", "per-host").output == "3\n")
        var facts = stat()
        #expect(lstat(link, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK)
        unlink(home.folder + "/dotfiles/jimmy")
        rmdir(home.folder + "/dotfiles")
        #expect(try home.jimmy.run("config", "set", "concurrency", "6").status == 74)
    }
}

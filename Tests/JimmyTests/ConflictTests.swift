import Domain
import LoopbackServer
import Testing

/// A library folder that a program such as Syncthing copies between two machines.
@Suite(.foldersOnly("it looks into the library's files")) struct ConflictTests {
    /// Two machines that had the same library, each with changes of its own.
    private func diverge(
        _ here: (Program, _ url: String) throws -> Void, _ there: (Program, _ url: String) throws -> Void
    ) throws -> Home {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 4)
        try home.subscribe("Old Show", episodes: 2)
        #expect(try home.jimmy.run("tag", "+shared", "Night Radio 4").status == 0)
        home.server.on("/day-radio", .feed(Home.feed("Day Radio", episodes: 2)))
        home.server.on("/sea-radio", .feed(Home.feed("Sea Radio", episodes: 2)))
        #expect(try home.run(script: "cp -a library other").status == 0)
        try here(home.jimmy, home.server.url)
        var other = home.jimmy
        other.environment["JIMMY_LIBRARY"] = home.folder + "/other"
        other.environment["XDG_CACHE_HOME"] = home.folder + "/other-cache"
        try there(other, home.server.url)
        return home
    }

    /// Copies the other machine's files here, those of both under the name that the program gives them.
    private func synchronize(_ home: Home, name: String) throws {
        let run = try home.run(
            script: """
                cd other
                find . -type f ! -name '*lock' ! -path './new/*' | while read -r file; do
                    stem=${file%.*} end=${file##*.}
                    cmp -s "$file" "../library/$file" && continue
                    mkdir -p "../library/${file%/*}"
                    if [ -e "../library/$file" ]; then cp "$file" "../library/$stem\(name).$end"
                    else cp "$file" "../library/$file"; fi
                done
                """)
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test(arguments: [
        ".sync-conflict-20261126-183100-ABCDEFG", " (desk's conflicted copy 2026-11-26)",
        " (In Konflikt stehende Kopie von desk 2026-11-26)",
    ])
    func `what both machines did is in the library after a repair`(name: String) throws {
        let home = try diverge { (jimmy: Program, url: String) throws -> Void in
            #expect(try jimmy.run("subscribe", url + "/day-radio").status == 0)
            #expect(try jimmy.run("tag", "+here", "Night Radio 1").status == 0)
            #expect(try jimmy.run("tag", "+both", "Night Radio 3").status == 0)
            #expect(try jimmy.run("queue", "add", "Night Radio 1").status == 0)
            #expect(try jimmy.run("unsubscribe", "Old Show").status == 0)
        } _: { (jimmy: Program, url: String) throws -> Void in
            #expect(try jimmy.run("subscribe", url + "/sea-radio").status == 0)
            #expect(try jimmy.run("edit", "Night Radio", "--title", "My Nights").status == 0)
            #expect(try jimmy.run("tag", "+there", "Night Radio 2").status == 0)
            #expect(try jimmy.run("tag", "+there", "Night Radio 3").status == 0)
            #expect(try jimmy.run("tag", "-shared", "Night Radio 4").status == 0)
            #expect(try jimmy.run("queue", "add", "Night Radio 2").status == 0)
            #expect(try jimmy.run("tag", "+sea", "Sea Radio 1").status == 0)
        }
        try synchronize(home, name: name)
        let jimmy = home.jimmy
        let verify = try jimmy.run("verify")
        #expect(verify.status == 65)
        #expect(verify.output.contains("podcasts\(name).jsonl") && verify.output.contains("tags\(name).jsonl"))
        let repair = try jimmy.run("verify", "--repair")
        #expect(repair.status == 0, "\(repair.output)\(repair.errors)")
        #expect(repair.output.contains("merged\tpodcasts\(name).jsonl"), "\(repair.output)")
        #expect(try jimmy.run("verify").status == 0)

        #expect(try jimmy.run("podcasts").records.map { $0[1] }.sorted() == ["Day Radio", "My Nights", "Sea Radio"])
        #expect(try jimmy.run("episodes", "Sea Radio").lines.count == 2)
        func tagged(_ tag: String) throws -> [String] { try jimmy.run("episodes", "--query", "tag:\(tag)").records.map { $0[3] } }
        #expect(try tagged("here") == ["Night Radio 1"])
        #expect(try tagged("there").sorted() == ["Night Radio 2", "Night Radio 3"])
        #expect(try tagged("both") == ["Night Radio 3"])
        #expect(try tagged("sea") == ["Sea Radio 1"])
        #expect(try tagged("shared").isEmpty)
        #expect(try jimmy.run("queue").records.map { $0[4] }.sorted() == ["Night Radio 1", "Night Radio 2"])
        // Nothing is deleted.
        #expect(try home.run(script: "ls library/damaged").output.contains("podcasts\(name).jsonl"))
        #expect(try home.run(script: "find library -name '*conflict*' ! -path '*/damaged/*'").output == "")
    }

    /// A small file with its checksum.
    private static func document(_ name: String, _ members: String) -> String {
        let checked = "\"" + #","version":1,"file":"\#(name)","revision":1,\#(members)}"# + "\n"
        let digits = String(XXH64.hash(checked.utf8), radix: 16)
        return "{\"sum\":\"" + String(repeating: "0", count: 16 - digits.count) + digits + checked
    }

    @Test func `the later position counts, with what was heard on both machines`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 4)
        func position(_ seconds: Int, at: String, heardAt: String) throws -> String {
            let id = try #require(try home.jimmy.run("episodes", "--query", "title:\"Night Radio 4\"").records.first?.first)
            return
                #"{"episode":"\#(id)","seconds":\#(seconds),"at":"\#(at)","heard":[{"at":"\#(heardAt)","seconds":60}]}"#
        }
        // Positions are written by a player only, so the test writes them like one.
        let here = try position(100, at: "2026-01-02T00:00:00Z", heardAt: "2026-01-01T23:00:00Z")
        let there = try position(700, at: "2026-01-03T00:00:00Z", heardAt: "2026-01-02T23:00:00Z")
        try home.write(Self.document("positions.json", #""positions":[\#(here)]"#), to: "library/positions.json")
        try home.write(Self.document("positions.json", #""positions":[\#(here)]"#), to: "library/backup/positions.json")
        try home.write(
            Self.document("positions.json", #""positions":[\#(there)]"#),
            to: "library/positions.sync-conflict-20261126-183100-ABCDEFG.json")
        #expect(try home.jimmy.run("verify").status == 65)
        #expect(try home.jimmy.run("verify", "--repair").status == 0)
        let text = try home.text("library/positions.json")
        #expect(text.contains(#""seconds":700"#), "\(text)")
        #expect(text.contains("2026-01-01T23:00:00Z") && text.contains("2026-01-02T23:00:00Z"), "\(text)")
        #expect(try home.jimmy.run("verify").status == 0)
    }
}

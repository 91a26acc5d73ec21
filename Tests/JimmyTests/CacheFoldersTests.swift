import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// The index of a library that is gone goes after 30 days; everything else in the cache stays.
@Suite struct CacheFoldersTests {
    private func folder(_ name: String, of library: String?, daysOld: Int, in home: Home) throws {
        let folder = "\(home.folder)/.cache/jimmy/\(name)"
        mkdir(folder, 0o700)
        mkdir(folder + "/index", 0o700)
        try home.write("segments", to: ".cache/jimmy/\(name)/index/manifest")
        guard let library else { return }
        try home.write(library, to: ".cache/jimmy/\(name)/library")
        let then = timespec(tv_sec: time(nil) - daysOld * 86_400, tv_nsec: 0)
        utimensat(AT_FDCWD, folder + "/library", [then, then], 0)
    }

    private func exists(_ name: String, in home: Home) -> Bool {
        access("\(home.folder)/.cache/jimmy/\(name)/index/manifest", F_OK) == 0
    }

    @Test(.foldersOnly("a database has no cache")) func `only what belongs to a library that is gone for long is removed`() throws
    {
        let home = try Home()
        try home.subscribe("Night Radio")
        let other = try Home()
        try other.subscribe("Day Radio")
        try folder("gone0000", of: home.folder + "/nowhere", daysOld: 31, in: home)
        try folder("recent00", of: home.folder + "/nowhere", daysOld: 29, in: home)
        try folder("there000", of: other.library, daysOld: 400, in: home)
        try folder("unknown0", of: nil, daysOld: 400, in: home)
        try folder("relative", of: "nowhere", daysOld: 400, in: home)
        // Whether a database still holds a library is not asked.
        try folder("database", of: "postgresql://me@db.example/podcasts", daysOld: 31, in: home)
        try folder("used0000", of: "postgresql://me@db.example/others", daysOld: 29, in: home)
        #expect(try home.jimmy.run("search", "night").status == 0)
        #expect(exists("gone0000", in: home))
        #expect(try home.jimmy.run("refresh").status == 0)
        #expect(!exists("gone0000", in: home))
        #expect(access(home.folder + "/.cache/jimmy/gone0000", F_OK) != 0)
        #expect(!exists("database", in: home))
        for name in ["used0000", "recent00", "there000", "unknown0", "relative"] { #expect(exists(name, in: home), "\(name)") }
        #expect(try home.jimmy.run("search", "night").lines.count > 0)
    }

    @Test(.foldersOnly("SearchInDatabaseTests drops its tables"))
    func `a library made anew where another was finds nothing of the earlier one`() throws {
        let home = try Home()
        let id = try home.subscribe("Night Radio", episodes: 3)
        #expect(try home.jimmy.run("search", "--json", "title:radio").lines.count == 3)
        #expect(try home.run(script: "rm -r library").status == 0)
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 1)))
        #expect(try home.subscribe("Night Radio", episodes: 1) == id)
        let run = try home.jimmy.run("search", "title:radio")
        #expect(run.lines.count == 1)
        #expect(run.errors == "")
    }
}

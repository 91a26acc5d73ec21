import Glibc
import LoopbackServer
import Testing

/// One flipped bit anywhere in the search index: searches find what they found before, and `verify` reports it.
@Suite(.foldersOnly("a database checks its own pages")) struct DamagedIndexTests {
    let home: Home

    /// Some words are in every episode, some in few, and each has its own: one segment of about 400 kB, too large to be read
    /// whole by a search.
    init() throws {
        home = try Home()
        let items = (0..<300).map { number in
            let words = (0..<90).map { "x\(number)y\($0)" }.joined(separator: " ")
            let text = "All about the sea, w\(number % 70) \(words)"
            return "<item><title>Tale \(number)</title><guid>\(number)</guid><description>\(text)</description></item>"
        }
        home.server.on("/tales", .feed("<rss version=\"2.0\"><channel><title>Tales</title>\(items.joined())</channel></rss>"))
        #expect(try home.jimmy.run("subscribe", home.server.url + "/tales").status == 0)
    }

    @Test func `a flipped bit is found`() throws {
        let segment = try #require(try home.run(script: "ls $PWD/.cache/jimmy/*/index/segment-*").lines.first)
        let size = try size(of: segment)
        #expect(size > 256 << 10)
        #expect(try home.run(script: "cp -a .cache sound").status == 0)
        let queries = ["sea", "w5 -tale", "\"the sea\"", "x7*", "title:tale w3", "seaa"]
        let sound = try queries.map { try home.jimmy.run("search", "--json", "--", $0).output }
        for round in 0..<24 {
            try flip(segment, at: size * round / 24 + round * 41)
            #expect(try verify().contains("'jimmy verify --repair' rebuilds it"), "round \(round)")
            for (query, sound) in zip(queries, sound) {
                #expect(try home.jimmy.run("search", "--json", "--", query).output == sound, "\(query), round \(round)")
            }
            #expect(try home.run(script: "rm -rf .cache && cp -a sound .cache").status == 0)
        }
        try flip(segment, at: size / 2)
        #expect(try home.jimmy.run("verify", "--repair").status == 0)
        #expect(try verify() == "The library is undamaged.\n")
        #expect(try home.jimmy.run("search", "--json", "--", "sea").output == sound[0])
    }

    private func verify() throws -> String {
        let run = try home.jimmy.run("verify")
        #expect(run.status == 0)
        return run.errors
    }

    private func size(of path: String) throws -> Int {
        var facts = stat()
        try #require(stat(path, &facts) == 0)
        return Int(facts.st_size)
    }

    private func flip(_ path: String, at offset: Int) throws {
        let file = open(path, O_RDWR)
        defer { close(file) }
        var byte: UInt8 = 0
        try #require(pread(file, &byte, 1, off_t(offset)) == 1)
        byte ^= UInt8(1 << (offset % 8))
        try #require(pwrite(file, &byte, 1, off_t(offset)) == 1)
    }
}

import Domain
import Index
import Searching
import Testing

/// Testing has tags of its own.
private typealias OwnTag = Domain.Tag

/// Which episodes a search finds, and in which order.
@Suite struct IndexSearchTests {
    let fixture: IndexFixture

    init() throws { fixture = try IndexFixture() }

    private func add(_ episodes: [Episode], _ channel: Channel = Channel()) async throws {
        try await fixture.index.apply([.whole(podcast(), channel, episodes)])
    }

    @Test func `all words must stand in an episode`() async throws {
        try await add([
            episode("a", "Green tea") { $0.description = "With lemon cake." },
            episode("b", "Green coffee"),
            episode("c", "Tea"),
        ])
        #expect(try await fixture.search("green cake") == ["pod00000-a"])
        #expect(try await fixture.search("nothing").isEmpty)
    }

    @Test func `all podcasts of a title are found, in all segments, as long as they have episodes`() async throws {
        let titled = ["pod00001", "pod00002", "pod00003", "pod00004"].map { podcast($0, title: "Night Vi") }
        for part in [titled[...1], titled[2...]] {
            try await fixture.index.apply(
                part.map { podcast in
                    let episodes = (0..<40).map { episode("e\($0)", "Part \($0)", age: Int64($0), of: podcast.id.text) }
                    return .whole(podcast, Channel(), episodes)
                })
        }
        let found = try await fixture.index.search(SearchRequest(text: "night vi")).podcasts
        #expect(found == titled.map(\.id))
        try await fixture.index.apply([.removed(titled[1].id), .whole(titled[3], Channel(), [])])
        #expect(try await fixture.index.search(SearchRequest(text: "night vi")).podcasts == [titled[0].id, titled[2].id])
    }

    @Test func `operators`() async throws {
        try await add([
            episode("a", "one two three", age: 1), episode("b", "three two one", age: 2), episode("c", "four", age: 3),
        ])
        #expect(try await fixture.search("\"two three\"") == ["pod00000-a"])
        #expect(try await Set(fixture.search("three OR four")) == ["pod00000-a", "pod00000-b", "pod00000-c"])
        #expect(try await fixture.search("-three") == ["pod00000-c"])
        #expect(try await fixture.search("two -\"two three\"") == ["pod00000-b"])
        #expect(try await fixture.search("fo*") == ["pod00000-c"])
        #expect(try await fixture.search("-fo* -\"two three\"") == ["pod00000-b"])
    }

    @Test func `fields`() async throws {
        var channel = Channel()
        channel.title = "Tea Time"
        channel.author = "Ann"
        try await add(
            [
                episode("a", "Ann") { item in
                    item.tags = ["history"]
                    var person = Person()
                    person.name = "Bob"
                    item.persons = [person]
                    var chapter = Chapter()
                    chapter.title = "Interlude"
                    item.extras.inlineChapters = [chapter]
                },
                episode("b", "Bob", age: 1) { $0.description = "history" },
            ], channel)
        #expect(try await fixture.search("title:ann") == ["pod00000-a"])
        #expect(try await fixture.search("podcast:tea").count == 2)
        #expect(try await fixture.search("author:ann").count == 2)
        #expect(try await fixture.search("person:bob") == ["pod00000-a"])
        #expect(try await fixture.search("keyword:history") == ["pod00000-a"])
        #expect(try await fixture.search("interlude") == ["pod00000-a"])
    }

    @Test func `conditions`() async throws {
        try await add([
            episode("a", "tea", age: 0) { item in
                item.duration = 3_600
                item.type = "bonus"
                var season = Season()
                season.number = 2
                item.season = season
            },
            episode("b", "tea", age: 400) { item in
                item.duration = 60
                item.transcripts = [Transcript()]
                item.chapters = ChaptersLink()
            },
        ])
        #expect(try await fixture.search("tea after:2023-11") == ["pod00000-a"])
        #expect(try await fixture.search("tea before:2023") == ["pod00000-b"])
        #expect(try await fixture.search("longer:30m") == ["pod00000-a"])
        #expect(try await fixture.search("shorter:30m") == ["pod00000-b"])
        #expect(try await fixture.search("type:bonus season:2") == ["pod00000-a"])
        #expect(try await fixture.search("has:transcript has:chapters") == ["pod00000-b"])
        #expect(try await fixture.search("tea -has:transcript") == ["pod00000-a"])
        #expect(try await fixture.search("tea in:queue") == [])
        #expect(try await fixture.search("tea in:queue") { $0.queue = [EpisodeID(text: "pod00000-b")!] } == ["pod00000-b"])
        #expect(try await fixture.search("tea added:2023-11-14") == ["pod00000-a", "pod00000-b"])
        #expect(try await fixture.search("tea added:..2023-11-14").count == 2)
        #expect(try await fixture.search("tea added:2023-11-15..").isEmpty)
        #expect(try await fixture.search("tea -added:2023-11-15..").count == 2)
    }

    @Test func `tags of the owner`() async throws {
        var withdrawn = episode("c", "coffee", age: 2)
        withdrawn.withdrawnAt = day
        try await add([episode("a", "tea"), episode("b", "tea", age: 1) { $0.tags = ["Heard"] }, withdrawn])
        let (a, b) = (EpisodeID(text: "pod00000-a")!, EpisodeID(text: "pod00000-b")!)
        let heard = try #require(OwnTag("heard"))
        func matches(_ text: String, _ tagged: [OwnTag: [EpisodeID]], hidden: [EpisodeID] = []) async throws -> [String] {
            try await fixture.search(text) {
                $0.tagged = tagged
                $0.hidden = hidden
                $0.sort = .date
            }.map { String($0.last!) }
        }
        #expect(try await matches("is:new", [.new: [b]]) == ["b"])
        #expect(try await matches("tea -is:new", [.new: [b]]) == ["a"])
        #expect(try await matches("tea -is:new", [:]) == ["a", "b"])
        #expect(try await matches("is:starred OR coffee", [.starred: [a]]) == ["a", "c"])
        #expect(try await matches("tag:heard", [heard: [a]]) == ["a"])
        #expect(try await matches("keyword:heard", [heard: [a]]) == ["b"])
        #expect(try await matches("tea -tag:heard", [heard: [a]]) == ["b"])
        #expect(try await matches("tea", [:], hidden: [a]) == ["b"])
        #expect(try await matches("is:withdrawn", [:]) == ["c"])
    }

    @Test func `all matches newest first`() async throws {
        try await add((0..<50).map { episode("e\($0)", "tea", age: $0) })
        try await fixture.index.apply([.whole(podcast("other000"), Channel(), [episode("c", "tea", age: 3, of: "other000")])])
        var request = SearchRequest(text: "tea")
        request.limit = .max
        let ids = try await fixture.index.episodes(matching: request)
        #expect(ids.count == 51)
        #expect(ids.prefix(3).map(\.text) == ["pod00000-e0", "pod00000-e1", "pod00000-e2"])
        request.limit = 2
        #expect(try await fixture.index.episodes(matching: request).map(\.text) == ["pod00000-e0", "pod00000-e1"])
        for offset in [0, 1, 25, 49, 50, 60] {
            request.offset = offset
            #expect(try await fixture.index.episodes(matching: request) == Array(ids.dropFirst(offset).prefix(2)))
        }
        #expect(try await fixture.index.count(matching: request) == 51)
    }

    /// Tag lists nearly as long as the index are not looked up entry by entry.
    @Test func `most episodes have a tag`() async throws {
        let shows = ["pod00000", "pod0000", "other000"]
        for show in shows {
            let episodes = (0..<300).map { episode("e\($0)", "tea", age: $0, of: show) }
            try await fixture.index.apply([.whole(podcast(show), Channel(), episodes)])
        }
        let all = shows.flatMap { show in (0..<300).compactMap { EpisodeID(text: "\(show)-e\($0)") } }.sorted()
        let some = all.filter { !$0.text.hasSuffix("0") }
        func matches(_ text: String, _ tagged: [EpisodeID], _ change: (inout SearchRequest) -> Void = { _ in }) async throws
            -> [EpisodeID]
        {
            var request = SearchRequest(text: text)
            (request.limit, request.tagged) = (.max, [.new: tagged])
            change(&request)
            return try await fixture.index.episodes(matching: request)
        }
        #expect(try await matches("is:new", all).count == 900)
        let ids = try await matches("is:new", some)
        #expect(ids.sorted() == some)
        #expect(ids.prefix(3).allSatisfy { $0.text.hasSuffix("-e1") })
        #expect(try await matches("is:new", some) { $0.limit = 7 } == Array(ids.prefix(7)))
        #expect(try await matches("is:new", some) { $0.podcast = PodcastID(text: "pod0000") }.count == 270)
        #expect(try await matches("-is:new", some).count == 90)
        #expect(try await matches("tea -is:new", some).count == 90)
        #expect(try await matches("tea is:new", some) { $0.hidden = all }.isEmpty)
        #expect(try await matches("is:new", some + [EpisodeID(text: "zzz-e1")].compactMap(\.self)).count == 810)
    }

    @Test func `options of the request`() async throws {
        try await add([episode("a", "tea"), episode("b", "tea", age: 10)])
        try await fixture.index.apply([.whole(podcast("other000"), Channel(), [episode("c", "tea", of: "other000")])])
        #expect(try await fixture.search("tea") { $0.podcast = PodcastID(text: "other000") } == ["other000-c"])
        #expect(try await fixture.search("tea") { $0.until = day - 86_400 } == ["pod00000-b"])
        #expect(try await fixture.search("tea") { $0.since = day }.count == 2)
        #expect(try await fixture.search("tea") { $0.limit = 1 }.count == 1)
    }

    /// Neighbours in this list have the same words in their titles, or nearly.
    @Test func `only the title itself makes an exact title`() async throws {
        try await add([
            episode("a", "Storm") { $0.itunesTitle = "Winter" }, episode("b", "Storm\nWinter"), episode("c", "Storm"),
            episode("d", "Storm"), episode("e", "") { $0.itunesTitle = "Storm" }, episode("f", "Storm!"),
        ])
        let hits = try await fixture.index.search(SearchRequest(text: "storm")).hits
        #expect(hits.count == 6)
        #expect(hits.filter { $0.score >= 100 }.map(\.episodeID.text).sorted() == ["a", "c", "d", "f"].map { "pod00000-" + $0 })
    }

    @Test func `an exact title comes first`() async throws {
        try await add([
            episode("a", "Tea and tea") { $0.description = "tea tea tea" },
            episode("b", "The Tea", age: 4_000) { $0.description = String(repeating: "long text ", count: 500) },
        ])
        #expect(try await fixture.search("the tea!").first == "pod00000-b")
    }

    @Test func `a title counts more than a description`() async throws {
        try await add([
            episode("a", "Something") { $0.description = "about tea" },
            episode("b", "About tea", age: 1_000) { $0.description = "something" },
        ])
        #expect(try await fixture.search("tea").first == "pod00000-b")
    }

    @Test func `conditions may be alternatives`() async throws {
        try await add([
            episode("a", "Tea") { $0.type = "full" },
            episode("b", "Bonus tea") { $0.duration = 7_200 },
            episode("c", "Cake") { $0.type = "bonus" },
        ])
        #expect(Set(try await fixture.search("type:full OR bonus")) == ["pod00000-a", "pod00000-b"])
        #expect(Set(try await fixture.search("type:bonus OR longer:1h")) == ["pod00000-b", "pod00000-c"])
        #expect(try await fixture.search("tea (type:bonus OR longer:1h)") == ["pod00000-b"])
        #expect(try await fixture.search("tea -(type:full OR longer:1h)").isEmpty)
    }

    @Test func `the word as typed comes before its other forms`() async throws {
        try await add([
            episode("a", "Müller", age: 2), episode("b", "Mueller", age: 9),
            episode("c", "Книги", age: 2), episode("d", "Книга", age: 9),
            episode("e", "A live-stream", age: 2), episode("f", "A livestream", age: 9),
        ])
        #expect(try await fixture.search("mueller") == ["pod00000-b", "pod00000-a"])
        #expect(try await fixture.search("книга") == ["pod00000-d", "pod00000-c"])
        #expect(try await fixture.search("livestream") == ["pod00000-f", "pod00000-e"])
    }

    @Test func `among equals the newer comes first`() async throws {
        try await add([episode("a", "Tea time", age: 900), episode("b", "Tea time", age: 1)])
        #expect(try await fixture.search("tea") { $0.now = day } == ["pod00000-b", "pod00000-a"])
    }

    @Test func `by date`() async throws {
        try await add((0..<50).map { episode("e\($0)", "tea \($0)", age: Int64($0 * 7 % 50)) })
        let dates = try await fixture.search("tea") {
            $0.sort = .date; $0.limit = 50
        }
        #expect(dates == (0..<50).sorted { $0 * 7 % 50 < $1 * 7 % 50 }.map { "pod00000-e\($0)" })
    }

    @Test func `many episodes of one minute`() async throws {
        try await add((0..<3_000).map { episode("e\($0)", "tea \($0)") })
        #expect(try await fixture.search("tea") { $0.limit = 5_000 }.count == 3_000)
        #expect(try await fixture.search("tea before:2023-11-14").isEmpty)
        #expect(try await fixture.search("tea before:2023-11-15") { $0.limit = 5_000 }.count == 3_000)
    }

    @Test func `episodes without a date are found`() async throws {
        try await add((0..<100).map { episode("e\($0)", "tea") { $0.publishedAt = nil } })
        #expect(try await fixture.search("tea") { $0.limit = 200 }.count == 100)
    }

    @Test func `the field that matched is named`() async throws {
        let one = episode("a", "Tea") { $0.content = "<p>With <b>cake</b></p>" }
        try await add([one])
        let request = SearchRequest(text: "cake")
        let hit = try #require(try await fixture.index.search(request).hits.first)
        #expect(hit.field == "description")
        #expect(fixture.index.snippets(for: request).snippet(of: hit, in: one, of: podcast()).field == "content")
    }

    @Test func `markup is no text`() async throws {
        try await add([
            episode("a", "x") {
                $0.description = "<p class=\"lemon\">Fish &amp; chips</p><p>caf&eacute;</p><script>var sugar</script>mo<b>re</b>"
            }
        ])
        #expect(try await fixture.search("\"fish chips\" cafe more").count == 1)
        #expect(try await fixture.search("lemon").isEmpty)
        #expect(try await fixture.search("sugar").isEmpty)
        #expect(try await fixture.search("amp").isEmpty)
    }

    @Test func `a transcript's hit knows its second`() async throws {
        let spoken = [
            TranscriptSegment(start: 0, text: "Welcome to the show."),
            TranscriptSegment(start: 754, text: "Today we bake a lemon cake."),
        ]
        let one = episode("a", "x")
        try await fixture.index.apply([.whole(podcast(), Channel(), [one], transcripts: [one.id: spoken])])
        let hits = try await fixture.index.search(SearchRequest(text: "transcript:lemon")).hits
        #expect(hits.map(\.field) == ["transcript"])
        #expect(hits.map(\.start) == [754])
        #expect(try await fixture.search("has:transcript") == ["pod00000-a"])
    }

    @Test func `the nearest spelling is offered`() async throws {
        try await add([episode("a", "Bicycle repair") { $0.description = "Москва" }])
        func suggestion(_ text: String) async throws -> String? {
            try await fixture.index.search(SearchRequest(text: text)).suggestion
        }
        #expect(try await suggestion("bicylce") == "bicycle")
        #expect(try await suggestion("Repair bycicle") == "Repair bicycle")
        #expect(try await suggestion("title:repaor") == "title:repair")
        #expect(try await suggestion("мосвка") == "москва")
        #expect(try await suggestion("bicylce reapir") == "bicycle repair")
        #expect(try await suggestion("bicyclerepair") == "bicycle repair")
        #expect(try await suggestion("zebra") == nil)
        #expect(try await suggestion("tag:repair") == nil)
    }

    /// Documents were weighed beyond a window, whose end was then taken for that of the matches.
    @Test func `a beginning beside a rare word is found in all documents`() async throws {
        let fixture = try IndexFixture()
        let made = (0..<600).map { episode("e\($0)", $0 == 3 ? "Zebra" : "Harbor \($0)", age: Int64($0)) }
        try await fixture.index.apply([.whole(podcast(), Channel(), made)])
        #expect(try await fixture.search("har* OR zebra") { $0.limit = 1_000 }.count == 600)
        #expect(try await fixture.search("har* OR zebra -17") { $0.limit = 1_000 }.count == 599)
    }

    /// Each change is a segment of its own; the word sought is in the smallest.
    @Test func `the nearest spelling may be in any segment`() async throws {
        for (number, words) in ["tea milk sugar", "bread jam", "bicycle"].enumerated() {
            let id = "pod0000\(number)"
            let episodes = words.split(separator: " ").map { episode(String($0), String($0), of: id) }
            try await fixture.index.apply([.whole(podcast(id), Channel(), episodes)])
        }
        for typed in ["bicylce", "bycicle"] {
            #expect(try await fixture.index.search(SearchRequest(text: typed)).suggestion == "bicycle")
        }
    }

    @Test func `hostile text finds nothing bad`() async throws {
        try await add([episode("a", "tea") { $0.description = "\u{0}\u{1}\u{FFFF} NEAR(tea)" }])
        for text in [
            "", " ", "\"", "'", "*", "-", "tea\" OR \"x", "NEAR(tea cake)", "{title} : tea", "tea^2", "^tea", "a:b:c",
            "rowid:1", "words MATCH 'x'", "'; DROP TABLE words; --", "\u{0}", "tea\u{0}tea", "\u{202E}", "🎙️", "-🎙️",
            "+-*/%", "\\", "tea AND", "NOT tea", "(((((", String(repeating: "a", count: 100_000),
            String(repeating: "tea ", count: 10_000), String(repeating: "te* ", count: 60), "\u{FDFA}", "title:\"",
            "after:9999999999", "season:99999999999999999999", "longer:1e308h", "longer:99999999999999h",
        ] {
            _ = try await fixture.index.search(SearchRequest(text: text))
        }
    }
}

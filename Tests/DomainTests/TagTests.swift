import Domain
import Testing

/// Testing has tags of its own.
private typealias OwnTag = Domain.Tag

struct TagTests {
    @Test(arguments: [
        ("starred", "starred"), ("To-Do.v2_x", "to-do.v2_x"), ("ÄRGER", "ärger"), ("ΣΊΣΥΦΟΣ", "σίσυφοσ"), ("σίσυφος", "σίσυφοσ"),
        ("МОСКВА", "москва"), ("夜", "夜"), ("हिन्दी", "हिन्दी"), ("Straße", "straße"), ("٢", "٢"),
        (String(repeating: "x", count: 64), String(repeating: "x", count: 64)),
    ])
    func `is folded`(text: String, folded: String) { #expect(OwnTag(text)?.text == folded) }

    @Test(arguments: [
        "", " ", "a b", "a/b", "a:b", "a,b", "\"a\"", "it's", "a\u{0}", "a\n", "😀", "+a", "a!", "\u{301}",
        String(repeating: "x", count: 65), "a" + String(repeating: "\u{301}", count: 300),
    ])
    func `is refused`(text: String) { #expect(OwnTag(text) == nil) }

    @Test func `later words win`() throws {
        let edit = try TagEdit(["+a", "-b", "-A", "+b"])
        #expect(edit.added.map(\.text) == ["b"])
        #expect(edit.removed.map(\.text) == ["a"])
    }

    @Test func `words that are no tags`() {
        #expect(throws: TagEdit.Failure.invalid("+a/b")) { try TagEdit(["+ok", "+a/b"]) }
        #expect(throws: TagEdit.Failure.invalid("a")) { try TagEdit(["a"]) }
        #expect(throws: TagEdit.Failure.reserved(.downloaded)) { try TagEdit(["-Downloaded"]) }
    }

    @Test(arguments: [
        ("+played", "new", "played"), ("+archived", "new starred", "archived starred"), ("-played", "played", ""),
        ("+new", "played", "new played"), ("+played +new", "", "new played"), ("-starred", "new", "new"),
    ])
    func `an edit is applied`(words: String, before: String, after: String) throws {
        func tags(_ text: String) -> Set<OwnTag> { Set(text.split(separator: " ").compactMap { OwnTag($0) }) }
        #expect(try TagEdit(words.split(separator: " ").map(String.init)).applied(to: tags(before)) == tags(after))
    }

    @Test(arguments: [
        ("+played +starred -- https://a.example/feed guid 1", ["played", "starred"], "https://a.example/feed", "guid 1"),
        ("+x -- https://a.example/f a -- b", ["x"], "https://a.example/f", "a -- b"),
        ("+x -- https://a.example/f 100%25%0A", ["x"], "https://a.example/f", "100%\n"),
        ("+x -- https://a.example/f %20a b%20", ["x"], "https://a.example/f", " a b "),
        ("+x -- https://a.example/f %E2%80%A8", ["x"], "https://a.example/f", "\u{2028}"),
        ("-- https://a.example/f g", [], "https://a.example/f", "g"),
    ])
    func `a line says the same both ways`(text: String, tags: [String], url: String, key: String) throws {
        let line = try #require(TagLine(text))
        #expect(line == TagLine(tags: Set(tags.compactMap { OwnTag($0) }), feedURL: url, key: key))
        #expect(line.text == text)
    }

    @Test func `a line says how far an episode was heard, and where its bookmarks are`() throws {
        let text =
            "+starred position=754.5/2700 heard=2026-11-20T08:00:00Z played=2026-11-01T08:00:00Z "
            + "listened=2026-11-20T07:30:00Z/1800 mark=12/2026-11-20T08:00:00Z/ mark=90/2026-11-20T08:00:00Z/100%25%20a/b "
            + "queued=3 -- https://a.example/f g"
        let line = try #require(TagLine(text))
        #expect(line.text == text)
        #expect(line.facts.seconds == 754.5)
        #expect(line.facts.duration == 2_700)
        #expect(line.facts.marks.map(\.note) == ["", "100% a/b"])
        for wrong in [
            "position=x", "position=nan", "position=1e300", "heard=now", "mark=1", "mark=-1/2026-11-20T08:00:00Z/", "a=b",
        ] {
            #expect(TagLine("\(wrong) -- https://a.example/f g") == nil, "\(wrong)")
        }
    }

    @Test func `a line is read without user and password and without downloaded`() throws {
        let line = try #require(TagLine("+downloaded +Ä -- https://ann:secret@a.example/f g"))
        #expect(line.text == "+ä -- https://a.example/f g")
    }

    @Test(arguments: [
        "", "+a", "+a --", "+a -- ", "+a -- https://a.example/f", "+a -- https://a.example/f ", "a -- https://a.example/f g",
        "+a/b -- https://a.example/f g", "+a-- https://a.example/f g", "+a -- nonsense g", "+a -- https://a.example/f %G0",
        "+a -- https://a.example/f %4", "+a -- https://a.example/f %FF",
    ])
    func `a malformed line is refused`(text: String) { #expect(TagLine(text) == nil) }

    @Test func `a key that several episodes share is not used`() throws {
        func episode(_ own: String, _ keys: IdentityKeys) throws -> StoredEpisode {
            StoredEpisode(
                id: try #require(EpisodeID(text: "p-\(own)")), keys: keys, digest: ContentDigest(value: 0), isWithdrawn: false)
        }
        let episodes = [
            try episode("1", IdentityKeys(guid: "same", enclosureURL: "http://a/1")),
            try episode("2", IdentityKeys(guid: "same", enclosureURL: "http://a/2")),
            try episode("3", IdentityKeys(link: "http://a/3")),
        ]
        #expect(EpisodeKey.unique(episodes).values.sorted() == ["http://a/1", "http://a/2", "http://a/3"])
    }
}

import Testing

@testable import Domain
@testable import Searching

@Suite struct BookmarkTests {
    private let podcast = PodcastID(feedURL: "https://radio.example/feed")
    private func bookmark(_ seconds: Int, _ note: String = "", at: Int64 = 1) throws -> Bookmark {
        let id = try #require(EpisodeID(text: "\(podcast)-81n4m0qdw7c2t"))
        return Bookmark(episodeID: id, seconds: seconds, note: note, at: Timestamp(seconds: at))
    }

    @Test func `a bookmark replaces the one at its second`() throws {
        var bookmarks: [Bookmark] = []
        for new in [try bookmark(90, "old"), try bookmark(12), try bookmark(90, "new")] { bookmarks.set(new) }
        #expect(bookmarks.map(\.seconds) == [12, 90])
        #expect(bookmarks.map(\.note) == ["", "new"])
    }

    @Test func `a change of bookmarks is taken back, except where one was set since`() throws {
        let before = [try bookmark(12), try bookmark(90, "old")]
        let after = [try bookmark(90, "new")]
        let reversal = BookmarkReversal(from: before, to: after)
        var bookmarks = after
        reversal.revert(&bookmarks)
        #expect(bookmarks == before)
        bookmarks = [try bookmark(12, "later"), try bookmark(90, "new")]
        reversal.revert(&bookmarks)
        #expect(bookmarks.map(\.note) == ["later", "old"])
    }

    @Test(arguments: [
        ("fog", false, true), ("Fóg", false, true), ("fo", false, false), ("fo", true, true), ("the fog", false, true),
        ("fog horn", false, false), ("", false, true),
    ])
    func `notes are found by their words`(_ wanted: String, _ isPrefix: Bool, _ fits: Bool) {
        #expect(NoteWords(wanted, isPrefix: isPrefix).match("Here the Fog rolls in") == fits)
    }

    @Test func `a query names notes by words, phrases and beginnings`() {
        func words(_ text: String) -> Set<NoteWords> { SearchQuery(text: text).noteWords }
        #expect(words("mark:fog") == [NoteWords("fog")])
        #expect(words(#"-mark:"the fog" OR mark:be*"#) == [NoteWords("the fog"), NoteWords("be", isPrefix: true)])
        #expect(words("mark:(fog OR bell)") == [NoteWords("fog"), NoteWords("bell")])
        #expect(words("has:marks") == [.any])
        #expect(SearchQuery(text: "mark:").noteWords.isEmpty)
    }
}

import Domain
import Presentation
import Results
import Searching
import Testing

/// A search that may have missed something says so; it never claims that there are no matches.
@Suite struct SearchFailureTests {
    private let failed = LibraryFailure.io(file: "podcasts/a.jsonl", operation: "read", errno: 5)
    private let damaged = LibraryFailure.damaged(file: "podcasts/b.jsonl", line: 2, reason: "checksum differs")

    private func outcome(hasMatch: Bool, _ index: IndexFailure? = nil, _ unreadable: [LibraryFailure] = []) -> SearchOutcome {
        let id = PodcastID(text: "aaaaaaaa")
        let time = Timestamp(seconds: 0)
        var outcome = SearchOutcome(episodes: [])
        if hasMatch, let episode = EpisodeID(text: "aaaaaaaa-b") {
            outcome.episodes = [
                FoundEpisode(
                    episode: Episode(id: episode, item: FeedItem(Item()), firstSeenAt: time, changedAt: time),
                    podcast: Podcast(id: id, feedURL: "", subscribedAt: time), score: 1, field: "title",
                    snippet: Snippet(field: "title", text: "", matches: []))
            ]
        }
        outcome.indexFailure = index
        outcome.unreadable = unreadable.map { UnreadablePodcast(id: id, failure: $0) }
        return outcome
    }

    @Test func `what is found is enough unless the disk failed`() {
        #expect(SearchView(outcome(hasMatch: true)).status == .done)
        #expect(SearchView(outcome(hasMatch: true, .full)).status == .done)
        #expect(SearchView(outcome(hasMatch: true, nil, [damaged])).status == .done)
        #expect(SearchView(outcome(hasMatch: true, nil, [damaged, failed])).status == .diskFailed)
    }

    @Test func `nothing found is only said of a whole index`() {
        #expect(SearchView(outcome(hasMatch: false)).status == .incomplete)
        #expect(SearchView(outcome(hasMatch: false, .busy)).status == .incomplete)
        #expect(SearchView(outcome(hasMatch: false, .full)).status == .diskFailed)
        #expect(SearchView(outcome(hasMatch: false, .denied(folder: nil))).status == .noPermission)
        #expect(SearchView(outcome(hasMatch: false, nil, [damaged])).status == .badData)
    }

    @Test func `each cause is one line`() {
        #expect(
            SearchView(outcome(hasMatch: true, .full, [damaged, failed, damaged])).failures.flatMap(\.lines) == [
                "jimmy: search index: no space is left on the disk; it could not be updated, so results may be missing",
                "jimmy: podcasts/a.jsonl: read: input/output error",
                "jimmy: aaaaaaaa, aaaaaaaa: damaged, and not searched; 'jimmy verify --repair' restores what it can",
            ])
    }
}

import Comparing
import Domain
import Testing

/// Identity and changes of episodes, as pure functions of values.
@Suite struct FeedDifferenceTests {
    let podcast = PodcastID(text: "aaaaaaaa")
    let first = Timestamp(seconds: 1_000_000)
    let later = Timestamp(seconds: 2_000_000)

    func item(
        _ guid: String?, title: String? = nil, enclosure: String? = nil, link: String? = nil, day: Int64? = nil
    ) -> Item {
        var item = Item()
        item.guid = guid
        item.title = title
        item.link = link
        item.publishedAt = day.map { Timestamp(seconds: $0 * 86_400) }
        if let enclosure {
            var file = Enclosure()
            file.url = enclosure
            item.enclosures = [file]
        }
        return item
    }

    /// The episodes that a first fetch of these items adds.
    func library(_ items: [Item]) -> [Episode] {
        difference(items, stored: [], at: first).added
    }

    func difference(_ items: [Item], stored: [Episode], at now: Timestamp, isComplete: Bool = true) -> FeedDifference {
        FeedDifference(items, stored: stored, podcast: podcast, at: now, isComplete: isComplete)
    }

    @Test func `the first fetch adds everything oldest first`() {
        let added = library([item("b", title: "New"), item("a", title: "Old")])
        #expect(added.map(\.item.title) == ["Old", "New"])
        #expect(added.allSatisfy { $0.firstSeenAt == first && $0.changedAt == first && !$0.isWithdrawn })
        #expect(added.allSatisfy { $0.podcastID == podcast })
    }

    @Test func `the same items make no difference`() {
        let items = [item("a", title: "A"), item(nil, enclosure: "https://x/1.mp3"), item(nil, title: "T", day: 3)]
        #expect(difference(items, stored: library(items), at: later).isEmpty)
    }

    @Test func `an edit names its fields and keeps the id and the former title`() throws {
        let stored = library([item("a", title: "Teh title", day: 1)])
        let result = difference([item("a", title: "The title", link: "https://x/", day: 1)], stored: stored, at: later)
        let episode = try #require(result.changed.first)
        #expect(episode.id == stored[0].id)
        #expect(episode.firstSeenAt == first)
        #expect(episode.changedAt == later)
        #expect(episode.history.first?.fields == ["title", "link"])
        #expect(episode.history.first?.formerTitle == "Teh title")
    }

    @Test func `a new token in a media URL is stored, but is no edit`() throws {
        let stored = library([item("a", title: "A", enclosure: "https://x/1.mp3?token=1")])
        let result = difference([item("a", title: "A", enclosure: "https://x/1.mp3?token=2")], stored: stored, at: later)
        let episode = try #require(result.rotated.first)
        #expect(result.hasOnlyRotations && !result.isEmpty)
        #expect(episode.item.enclosures[0].url == "https://x/1.mp3?token=2")
        #expect(episode.history.isEmpty && episode.changedAt == first)
        let edited = difference([item("a", title: "B", enclosure: "https://x/1.mp3?token=2")], stored: stored, at: later)
        #expect(edited.changed.count == 1 && edited.rotated.isEmpty)
    }

    @Test func `a date in the future does not order an episode, except for a day's grace`() {
        let episodes = library([item("a", day: 11), item("b", day: 12), item("c", day: 13), item("d", day: 99_999), item("e")])
        #expect(first.seconds / 86_400 == 11)
        let ordered = episodes.map { "\($0.item.guid ?? "") \($0.orderedAt?.seconds ?? 0)" }.sorted()
        #expect(ordered == ["a \(11 * 86_400)", "b \(12 * 86_400)", "c 1000000", "d 1000000", "e 0"])
    }

    @Test func `a field that disappears is a change`() throws {
        let stored = library([item("a", title: "A", link: "https://x/")])
        let result = difference([item("a", title: "A")], stored: stored, at: later)
        #expect(result.changed.first?.history.first?.fields == ["link"])
    }

    @Test func `what leaves the feed is withdrawn and comes back with its id`() throws {
        let items = [item("a", title: "A"), item("b", title: "B")]
        var stored = library(items)
        let gone = difference([items[0]], stored: stored, at: later)
        let withdrawn = try #require(gone.withdrawn.first)
        #expect(withdrawn.item.guid == "b")
        #expect(withdrawn.withdrawnAt == later)
        stored = stored.map { $0.id == withdrawn.id ? withdrawn : $0 }
        #expect(difference([items[0]], stored: stored, at: later).isEmpty)
        let back = difference(items, stored: stored, at: later)
        #expect(back.returned.map(\.id) == [withdrawn.id])
        #expect(back.returned.first?.isWithdrawn == false)
        #expect(back.added.isEmpty)
    }

    @Test func `an empty or cut off feed withdraws nothing`() {
        let items = [item("a", title: "A"), item("b", title: "B")]
        let stored = library(items)
        #expect(difference([], stored: stored, at: later).isEmpty)
        #expect(difference([items[0]], stored: stored, at: later, isComplete: false).isEmpty)
    }

    @Test func `a changed guid with the same enclosure is the same episode`() {
        let stored = library([item("http://old/1", title: "A", enclosure: "https://x/1.mp3")])
        let result = difference([item("uuid-1", title: "A", enclosure: "https://x/1.mp3")], stored: stored, at: later)
        #expect(result.added.isEmpty && result.withdrawn.isEmpty)
        #expect(result.changed.map(\.id) == stored.map(\.id))
    }

    @Test func `a changed guid with the same title and date is the same episode`() {
        let stored = library([item("1", title: "A", enclosure: "https://old/1.mp3", day: 5)])
        let result = difference([item("2", title: "A", enclosure: "https://new/1.mp3", day: 5)], stored: stored, at: later)
        #expect(result.added.isEmpty && result.changed.count == 1)
    }

    @Test func `a title alone is no identity`() {
        let stored = library([item("1", title: "Weekly news", day: 5)])
        let result = difference([item("2", title: "Weekly news", day: 12)], stored: stored, at: later)
        #expect(result.added.count == 1)
    }

    @Test func `items that share a guid are all kept`() {
        let items = (1...5).map { item("same", title: "Part \($0)", enclosure: "https://x/\($0).mp3") }
        let stored = library(items)
        #expect(stored.count == 5)
        #expect(Set(stored.map(\.id)).count == 5)
        #expect(difference(items, stored: stored, at: later).isEmpty)
        let next = [item("same", title: "Part 6", enclosure: "https://x/6.mp3")] + items
        let result = difference(next, stored: stored, at: later)
        #expect(result.added.map(\.item.title) == ["Part 6"])
        #expect(result.changed.isEmpty && result.withdrawn.isEmpty)
    }

    @Test func `one of several under a guid can be edited`() {
        let items = (1...3).map { item("same", title: "Part \($0)", enclosure: "https://x/\($0).mp3") }
        let stored = library(items)
        var edited = items
        edited[1].link = "https://x/two"
        let result = difference(edited, stored: stored, at: later)
        #expect(result.changed.count == 1 && result.added.isEmpty && result.withdrawn.isEmpty)
    }

    @Test func `an item that stands twice is kept once`() {
        let twice = item("a", title: "A", enclosure: "https://x/1.mp3")
        let stored = library([twice, twice])
        #expect(stored.count == 1)
        #expect(difference([twice, twice], stored: stored, at: later).isEmpty)
    }

    @Test func `an enclosure that many items share is no identity`() {
        let shared = "https://x/placeholder.mp3"
        let stored = library([item("1", title: "A", enclosure: shared, day: 1), item("2", title: "B", enclosure: shared, day: 2)])
        #expect(stored.count == 2)
        let result = difference(
            [
                item("3", title: "C", enclosure: shared, day: 3), item("1", title: "A", enclosure: shared, day: 1),
                item("2", title: "B", enclosure: shared, day: 2),
            ], stored: stored, at: later)
        #expect(result.added.map(\.item.title) == ["C"])
        #expect(result.withdrawn.isEmpty)
    }

    /// The old item left the feed, another one came, and both have a constant URL: both are episodes.
    @Test(arguments: ["https://x/latest.mp3", "https://x/cover.jpg", "https://x/notes.pdf"], [true, false])
    func `an episode is not overwritten by another with its enclosure`(url: String, hasGuids: Bool) {
        let stored = library([item(hasGuids ? "1" : nil, title: "Monday", enclosure: url, day: 1)])
        let tuesday = item(hasGuids ? "2" : nil, title: "Tuesday", enclosure: url, day: 2)
        let result = difference([tuesday], stored: stored, at: later)
        #expect(result.added.map(\.item) == [tuesday])
        #expect(result.changed.isEmpty)
        #expect(result.withdrawn.map(\.id) == stored.map(\.id))
        #expect(result.withdrawn.first?.item.title == "Monday")
    }

    @Test func `a bulletin of one item brings a new episode each day`() {
        let day = { (day: Int64) in self.item("\(day)", title: "News", enclosure: "https://x/latest.mp3", day: day) }
        var stored = library([day(1)])
        for number in Int64(2)...5 {
            let result = difference([day(number)], stored: stored, at: later)
            #expect(result.added.count == 1 && result.changed.isEmpty)
            let withdrawn = Set(result.withdrawn.map(\.id))
            stored = stored.filter { !withdrawn.contains($0.id) } + result.withdrawn + result.added
        }
        #expect(Set(stored.map(\.id)).count == 5)
    }

    @Test func `a link that all items share is no identity`() {
        let stored = library([item(nil, title: "Monday", link: "https://x/", day: 1)])
        let result = difference([item(nil, title: "Tuesday", link: "https://x/", day: 2)], stored: stored, at: later)
        #expect(result.added.count == 1 && result.changed.isEmpty && result.withdrawn.count == 1)
    }

    @Test func `an episode under a shared guid is not overwritten by another with its title or enclosure`() {
        let days = { (days: ClosedRange<Int64>) in
            days.map { self.item("same", title: "News", enclosure: "https://x/latest.mp3", day: $0) }
        }
        let result = difference(days(2...4), stored: library(days(1...3)), at: later)
        #expect(result.added.map(\.item.publishedAt?.seconds) == [4 * 86_400])
        #expect(result.withdrawn.map(\.item.publishedAt?.seconds) == [86_400])
        #expect(result.changed.isEmpty)
    }

    @Test func `a shared enclosure joins with the date`() {
        let stored = library([item("1", title: "Teh title", enclosure: "https://x/1.mp3", day: 1)])
        let result = difference([item("2", title: "The title", enclosure: "https://x/1.mp3", day: 1)], stored: stored, at: later)
        #expect(result.changed.map(\.id) == stored.map(\.id))
        #expect(result.added.isEmpty && result.withdrawn.isEmpty)
    }

    @Test func `guids that flip are one episode`() {
        let forms = ["a", "b"].map { item($0, title: "T", enclosure: "https://x/1.mp3", day: 1) }
        var stored = library([forms[0]])
        for round in 1...4 {
            let result = difference([forms[round % 2]], stored: stored, at: later)
            #expect(result.changed.map(\.id) == stored.map(\.id))
            stored = result.changed
        }
    }

    @Test func `without a guid an enclosure joins with the title`() {
        let stored = library([item(nil, title: "T", enclosure: "https://x/1.mp3", day: 1)])
        let result = difference([item(nil, title: "T", enclosure: "https://x/1.mp3", day: 2)], stored: stored, at: later)
        #expect(result.changed.map(\.id) == stored.map(\.id))
    }

    @Test func `ten thousand items under one guid take no square of that time`() {
        let items = (0..<10_000).map { item("same", title: "Part \($0)") }
        let stored = library(items)
        #expect(stored.count == items.count)
        #expect(difference(items, stored: stored, at: later).isEmpty)
    }

    @Test func `history is bounded`() throws {
        var stored = library([item("a", title: "0")])
        for round in 1...30 {
            stored = difference([item("a", title: "\(round)")], stored: stored, at: later).changed
        }
        let episode = try #require(stored.first)
        #expect(episode.history.count == Episode.historyLimit)
        #expect(episode.history.first?.formerTitle == "29")
    }

    @Test func `a new build date alone does not change the channel`() {
        var one = Channel()
        one.title = "T"
        one.updatedAt = first
        var two = one
        two.updatedAt = later
        #expect(ContentDigest(of: one) != ContentDigest(of: two))
        #expect(ContentDigest(of: one.withoutBuildDates) == ContentDigest(of: two.withoutBuildDates))
    }
}

extension FeedDifference {
    /// What a refresh makes of these items.
    init(_ items: [Item], stored: [Episode], podcast: PodcastID, at now: Timestamp, isComplete: Bool = true) {
        let digests = items.map { ContentDigest(of: $0) }
        let keys = stored.map {
            StoredEpisode(
                id: $0.id, keys: IdentityKeys(of: $0.item), digest: ContentDigest(of: $0.item), isWithdrawn: $0.isWithdrawn)
        }
        let items = items.map { FeedItem($0) }
        var match = FeedMatch(items: items, digests: digests, stored: keys, podcast: podcast, isComplete: isComplete)
        let byID = Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0) })
        let leaving = match.withdrawn + match.formerEpisodes(items: items, stored: keys)
        match.recognize(items: items, stored: keys, episodes: leaving.compactMap { byID[$0] })
        self.init(match: match, items: items, digests: digests, stored: byID, now: now)
        compare(match.changed[...], of: match, items: items, digests: digests, stored: byID, now: now)
    }

    fileprivate var isEmpty: Bool { hasOnlyRotations && rotated.isEmpty }
}

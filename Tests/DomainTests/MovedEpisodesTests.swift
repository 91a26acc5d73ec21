import Comparing
import Domain
import Testing

/// Episodes whose feed moved to another host, and programmes that only look like it.
@Suite struct MovedEpisodesTests {
    let podcast = PodcastID(text: "aaaaaaaa")
    let now = Timestamp(seconds: 1_700_000_000)
    static let titles = ["The Fox's Den", "Rain & Wind", "Chapter 3: Harbour", "Two Songs", "A Long Walk Home"]

    /// An item as tests describe it.
    struct Entry {
        var guid: String?
        var title: String?
        var url: String?
        var at: Int64?
        var duration: Double?
        var length: Int?
        var text: String?
        var number: Double?

        var item: Item {
            var item = Item()
            (item.guid, item.title, item.duration, item.description) = (guid, title, duration, text)
            item.publishedAt = at.map { Timestamp(seconds: $0) }
            if let number {
                var episode = EpisodeNumber()
                episode.number = number
                item.episode = episode
            }
            if let url {
                var enclosure = Enclosure()
                (enclosure.url, enclosure.length) = (url, length)
                item.enclosures = [enclosure]
            }
            return item
        }
    }

    /// The weeks before the move, newest first.
    func weekly(_ titles: [String] = Self.titles) -> [Entry] {
        titles.enumerated().map { index, title in
            Entry(
                guid: "old-\(index)", title: title, url: "https://old.example/show/\(index).mp3",
                at: now.seconds - Int64(index + 1) * 604_800)
        }
    }

    /// The same episodes from another host.
    func moved(_ entries: [Entry], _ change: (inout Entry, Int) -> Void) -> [Entry] {
        entries.enumerated().map { index, entry in
            var entry = entry
            entry.guid = entry.guid.map { _ in "new-\(index)" }
            entry.url = "https://new.example/\(index * 7_919)/audio.mp3"
            change(&entry, index)
            return entry
        }
    }

    func library(_ entries: [Entry]) -> [Episode] {
        FeedDifference(entries.map(\.item), stored: [], podcast: podcast, at: now).added
    }

    func difference(_ entries: [Entry], _ stored: [Episode]) -> FeedDifference {
        FeedDifference(entries.map(\.item), stored: stored, podcast: podcast, at: now)
    }

    func apply(_ difference: FeedDifference, to stored: [Episode]) -> [Episode] {
        let replaced = difference.changed + difference.returned + difference.withdrawn
        let byID = Dictionary(uniqueKeysWithValues: replaced.map { ($0.id, $0) })
        return stored.map { byID[$0.id] ?? $0 } + difference.added
    }

    /// Expects that no episode is new and none is gone, and that all keep their ids.
    func expectSame(_ before: [Entry], _ after: [Entry], by match: EpisodeMatch? = nil, _ at: SourceLocation = #_sourceLocation) {
        let stored = library(before)
        let result = difference(after, stored)
        #expect(result.added.isEmpty && result.withdrawn.isEmpty, sourceLocation: at)
        #expect(Set((result.changed + result.rotated).map(\.id)) == Set(stored.map(\.id)), sourceLocation: at)
        if let match { #expect(result.changed.allSatisfy { $0.history[0].matchedBy == match }, sourceLocation: at) }
        for episode in result.changed {
            let index = before.firstIndex { $0.guid == stored.first { $0.id == episode.id }?.item.guid && $0.guid != nil }
            if let index { #expect(episode.item == after[index].item, sourceLocation: at) }
        }
    }

    /// Expects that nothing is taken for another episode.
    func expectOthers(_ before: [Entry], _ after: [Entry], _ at: SourceLocation = #_sourceLocation) {
        let stored = library(before)
        let result = difference(after, stored)
        #expect(result.changed.isEmpty, sourceLocation: at)
        #expect(result.added.count == after.count, sourceLocation: at)
        #expect(Set(result.withdrawn.map(\.id)) == Set(stored.map(\.id)), sourceLocation: at)
    }

    // MARK: Moves

    @Test(arguments: [1, -1, 3_600, -3_600, 18_000, -18_000] as [Int64])
    func `dates that all shift by the same time`(seconds: Int64) {
        let old = weekly()
        expectSame(old, moved(old) { entry, _ in entry.at? += seconds }, by: .title)
        // A serial as well, whose titles say little.
        let serial = weekly((1...8).map { "Part \($0)" })
        expectSame(serial, moved(serial) { entry, _ in entry.at? += seconds }, by: .title)
    }

    @Test func `dates that shift by local time with and without daylight saving`() {
        let old = weekly()
        expectSame(old, moved(old) { entry, index in entry.at? += index < 2 ? 14_400 : 18_000 })
    }

    @Test func `dates that are gone`() {
        let old = weekly()
        expectSame(old, moved(old) { entry, _ in entry.at = nil }, by: .title)
    }

    @Test func `dates that all become the day of the move`() {
        let old = weekly()
        expectSame(old, moved(old) { entry, _ in entry.at = now.seconds }, by: .title)
        expectSame(old, moved(old) { entry, index in entry.at = now.seconds - Int64(index) * 60 }, by: .title)
    }

    @Test func `dates that come back after a move took them`() {
        let old = weekly()
        let (undated, reset) = (moved(old) { entry, _ in entry.at = nil }, moved(old) { entry, _ in entry.at = now.seconds })
        for before in [undated, reset] {
            for after in [old, undated, reset] where after.map(\.at) != before.map(\.at) {
                expectSame(before, moved(after) { entry, index in entry.guid = "third-\(index)" })
            }
        }
    }

    @Test func `a serial whose dates are gone is told by its lengths`() {
        var old = weekly((1...6).map { "Part \($0)" })
        for index in old.indices { old[index].duration = Double(1_500 + index * 37) }
        expectSame(old, moved(old) { entry, _ in entry.at = nil }, by: .title)
        expectSame(old, moved(old) { entry, _ in entry.at = now.seconds }, by: .title)
    }

    @Test(
        arguments: [
            { $0.map { $0 == "'" ? "’" : String($0) }.joined() }, { $0.map { $0 == " " ? "  " : String($0) }.joined() },
            { $0.map { $0 == "&" ? "&amp;" : String($0) }.joined() }, { $0 + "." }, { $0.uppercased() },
            { $0.hasPrefix("Chapter ") ? String($0.dropFirst(8)) : $0 + " " },
        ] as [@Sendable (String) -> String])
    func `titles that are typeset anew`(change: @Sendable (String) -> String) {
        let old = weekly()
        expectSame(old, moved(old) { entry, _ in entry.title = entry.title.map(change) })
        expectSame(old, moved(old) { entry, _ in (entry.title, entry.at) = (entry.title.map(change), entry.at! + 3_600) })
        let serial = weekly((1...5).map { "Chapter \($0)" })
        expectSame(serial, moved(serial) { entry, _ in entry.title = entry.title.map(change) })
        // One episode alone.
        expectSame([old[0]], moved([old[0]]) { entry, _ in entry.title = entry.title.map(change) })
    }

    @Test func `titles that get a number while dates stay`() {
        let old = weekly(["The Fox's Den", "Rain & Wind", "Two Songs"])
        let numbered = moved(old) { entry, index in entry.title = "#\(9 - index) " + (entry.title ?? "") }
        expectSame(old, numbered, by: .date)
        let third = moved(old) { entry, index in
            (entry.guid, entry.url) = ("third-\(index)", "https://third.example/\(index * 31).mp3")
        }
        expectSame(numbered, third, by: .date)
        expectOthers(
            weekly(["Night Talk 1"]), moved(weekly(["Night Talk 2"])) { entry, _ in entry.at? += 604_800 })
    }

    @Test func `titles that change altogether while dates stay`() {
        var old = weekly()
        for index in old.indices { old[index].length = 20_000_000 + index }
        expectSame(old, moved(old) { entry, index in entry.title = "Episode \(index)" }, by: .date)
    }

    @Test func `a token that changes with every response`() {
        let old = weekly().map { entry in
            var entry = entry
            (entry.guid, entry.at, entry.url) = (nil, nil, entry.url.map { $0 + "?token=a1" })
            return entry
        }
        expectSame(
            old,
            old.map { entry in
                var entry = entry
                entry.url = entry.url?.replacing("token=a1", with: "token=b2&expires=99")
                return entry
            }, by: .title)
    }

    @Test(arguments: [
        "https://prefix.example/x/e/", "https://dts.podtrac.com/redirect.mp3/", "https://op3.dev/e/",
        "https://pdst.fm/e/chrt.fm/track/ABC/",
    ])
    func `a tracking prefix`(prefix: String) {
        let old = weekly().map { entry in
            var entry = entry
            (entry.guid, entry.at) = (nil, nil)
            return entry
        }
        let new = old.map { entry in
            var entry = entry
            entry.url = prefix + (entry.url?.dropFirst("https://".count) ?? "")
            return entry
        }
        expectSame(old, new)
        expectSame(new, old)
    }

    @Test func `three versions of a feed are one podcast`() {
        let old = weekly()
        var stored = library(Array(old[2...]))
        let versions = [
            moved(old) { entry, _ in (entry.guid, entry.at) = (entry.guid.map { "b" + $0 }, entry.at! + 3_600) },
            moved(Array(old[..<3])) { entry, _ in (entry.guid, entry.at) = (entry.guid.map { "c" + $0 }, entry.at! + 18_000) },
            moved(old) { entry, _ in (entry.guid, entry.at) = (entry.guid.map { "d" + $0 }, nil) },
        ]
        for version in [Array(old[1...])] + versions { stored = apply(difference(version, stored), to: stored) }
        #expect(stored.count == old.count)
        #expect(stored.allSatisfy { !$0.isWithdrawn })
    }

    @Test func `an episode that comes with the move is new alone`() {
        let old = weekly()
        let next = Entry(guid: "new-9", title: "Winter", url: "https://new.example/9.mp3", at: now.seconds)
        let result = difference([next] + moved(old) { entry, _ in entry.at? += 3_600 }, library(old))
        #expect(result.added.map(\.item.title) == ["Winter"])
        #expect(result.withdrawn.isEmpty)
    }

    @Test func `season and number tell an episode whose title was corrected`() {
        var old = weekly()[0]
        (old.number, old.title, old.length) = (12, "Teh harbour at night", 31_415_926)
        let new = moved([old]) { entry, _ in (entry.title, entry.at) = ("The harbour at night", nil) }
        expectSame([old], new, by: .number)
    }

    // MARK: Other episodes

    @Test func `a bulletin with one title and one URL is another every hour`() {
        for (duration, length, text) in [(nil, nil, nil), (300, 4_800_000, "All that happened in the last hour.")]
            as [(Double?, Int?, String?)]
        {
            let hours = (0..<4).map {
                Entry(
                    guid: "g\($0)", title: "News", url: "https://x.example/latest.mp3", at: now.seconds + Int64($0) * 3_600,
                    duration: duration, length: length, text: text)
            }
            var stored: [Episode] = []
            for hour in hours { stored = apply(difference([hour], stored), to: stored) }
            #expect(stored.count == hours.count)
        }
    }

    @Test(arguments: [2, 4], [1_800, 3_600] as [Int64])
    func `programmes that replace each other every hour are others`(window: Int, gap: Int64) {
        let all = (0..<24).map { hour in
            Entry(
                guid: "g\(hour)", title: hour % 2 == 0 ? "Headlines" : "Weather", url: "https://x.example/\(hour % 2).mp3",
                at: now.seconds + Int64(hour) * gap, duration: 300, length: 4_800_000,
                text: "Every hour, the latest from the desk.")
        }
        var stored: [Episode] = []
        for end in stride(from: window, through: all.count, by: 2) {
            stored = apply(difference(all[(end - window)..<end].reversed(), stored), to: stored)
        }
        #expect(stored.count == all.count)
    }

    @Test func `a serial whose dates are gone is told by its new host`() {
        let old = weekly((1...8).map { "Part \($0)" })
        expectSame(old, moved(old) { entry, _ in entry.at = now.seconds }, by: .title)
        expectSame(old, moved(old) { entry, _ in entry.at = nil }, by: .title)
    }

    @Test func `a new season of a serial is no move`() {
        let old = weekly((1...8).map { "Part \($0)" })
        expectOthers(old, moved(old) { entry, _ in entry.at? += 9 * 604_800 })
        func season(_ change: (inout Entry, Int) -> Void) -> [Entry] {
            moved(old) { entry, index in
                entry.url = "https://old.example/second/\(index * 7_919)/audio.mp3"
                change(&entry, index)
            }
        }
        expectOthers(old, season { entry, _ in entry.at = now.seconds })
        expectOthers(old, season { entry, _ in entry.at = nil })
        // With another number of parts, at another host too.
        expectOthers(old, moved(old) { entry, _ in entry.at = nil }.dropLast())
        var timed = old
        for index in timed.indices { timed[index].duration = Double(1_500 + index * 37) }
        expectOthers(timed, moved(timed) { entry, _ in (entry.at, entry.duration) = (nil, entry.duration! + 90) })
    }

    @Test func `a magazine whose parts come every day is another every day`() {
        let parts = ["Politics", "Culture", "Sports", "Science", "Weather", "Traffic"]
        let day = { (day: Int64) in
            parts.enumerated().map { index, title in
                Entry(
                    guid: "\(day)-\(index)", title: title, url: "https://x.example/\(day)/\(index).mp3",
                    at: now.seconds + day * 43_200 + Int64(index) * 600)
            }
        }
        expectOthers(day(0), day(1))
        expectOthers(day(0), day(2))
    }

    @Test func `a title that an earlier episode has joins nothing`() {
        let old = ["News", "The Fox", "News"].enumerated().map { index, title in
            Entry(guid: "\(index)", title: title, url: "https://x.example/\(index).mp3", at: now.seconds - Int64(index) * 86_400)
        }
        let stored = apply(difference([old[0], old[1]], library([old[1], old[2]])), to: library([old[1], old[2]]))
        let next = Entry(guid: "9", title: "News", url: "https://x.example/9.mp3", at: nil)
        #expect(difference([next, old[1]], stored).added.count == 1)
    }

    @Test func `episodes of one day with other titles are others`() {
        let old = Entry(guid: "1", title: "Part 1", url: "https://x.example/a.mp3", at: now.seconds, duration: 600)
        let new = Entry(guid: "2", title: "Part 2", url: "https://x.example/b.mp3", at: now.seconds, duration: 600)
        expectOthers([old], [new])
    }

    @Test func `a numbered URL without its parameters may be another file`() {
        let old = Entry(title: "News", url: "https://x.example/play.php?id=7")
        expectOthers([old], [Entry(title: "News", url: "https://x.example/play.php?id=8")])
        let file = Entry(title: "News", url: "https://x.example/download.mp3?id=7")
        expectOthers([file], [Entry(title: "News", url: "https://x.example/download.mp3?id=8")])
    }
}

import Domain
import JSON
import Scheduling
import Testing

@testable import Records

@Suite struct CompactDatesTests {
    private static let newest = Timestamp(seconds: 1_704_171_600)
    private static let (minute, day): (Int64, Int64) = (60, 86_400)

    /// The 52 dates of a podcast, each by chance up to `scatter` seconds later.
    private static func dates(every period: Int64, scatter: Int64 = 0) -> [Timestamp] {
        (0..<52).map { number in
            let later = scatter > 0 ? Int64(XXH64.hash("\(number)".utf8) % UInt64(scatter)) : 0
            return Timestamp(seconds: (newest.seconds - Int64(number) * period + later) / 60 * 60)
        }
    }

    private static func size(of cadence: Cadence) -> Int {
        var podcast = Podcast(id: PodcastID(text: ""), feedURL: "", subscribedAt: newest)
        func size() -> Int {
            var json = JSONWriter()
            json.object { PodcastRecord.write(podcast, since: nil, to: &$0) }
            return json.bytes.count
        }
        let without = size()
        podcast.fetch.cadence = cadence
        return size() - without
    }

    @Test(arguments: [day, 7 * day, 21 * day], [0, 3_600, 6 * day])
    func `dates are stored to the minute in few bytes`(period: Int64, scatter: Int64) {
        let dates = Self.dates(every: period, scatter: min(scatter, period / 2))
        let text = CompactDates.text(dates)
        #expect(text.utf8.count <= (scatter == 0 ? 120 : 150), "\(text.utf8.count)")
        #expect(CompactDates.dates(text.utf8) == dates)
        #expect(CompactDates.dates(CompactDates.text(dates.reversed()).utf8, newestFirst: false) == dates.reversed())
    }

    @Test(arguments: [[], [0], [60, 60], [6_000_000_000, 0], [1_700_000_040, 1_700_000_040 - 9 * 366 * day]] as [[Int64]])
    func `any dates come back`(seconds: [Int64]) {
        let dates = seconds.map { Timestamp(seconds: $0) }
        #expect(CompactDates.dates(CompactDates.text(dates).utf8) == dates)
    }

    @Test(arguments: [day, 3 * day, 7 * day, 14 * day, 21 * day, 30 * day, 90 * day], [0, 3_600, 80] as [Int64])
    func `what is learned of a podcast takes less than 200 bytes of its record`(period: Int64, scatter: Int64) {
        // Up to 80 percent of the time between two.
        let dates = Self.dates(every: period, scatter: scatter == 80 ? period * 8 / 10 : scatter)
        let items = dates.map { date in
            var item = Item()
            item.publishedAt = date
            return FeedItem(item)
        }
        let now = Self.newest + Self.day
        var podcast = Podcast(id: PodcastID(text: "p"), feedURL: "http://a.example/f", subscribedAt: now)
        Schedule.recordAnswer(
            &podcast, status: 200, feed: ParsedFeed(format: .rss, items: items), headers: ResponseHeaders(), outcome: "updated",
            milliseconds: 1, now: now)
        var cadence = podcast.fetch.cadence
        #expect(cadence.recent.count >= 12)
        (cadence.dateShift, cadence.shiftedInARow, cadence.isShiftKnown) = (-86_340, 1, true)
        #expect(Self.size(of: cadence) < 200, "\(Self.size(of: cadence)), as planned")
        // A request a day, and a few in the usual hours.
        cadence.plan = [0, 1_440, 1_450, 2_880, 3_600, 4_320, 5_760, 7_200, 8_640, 8_650, 10_080, 11_520].map {
            Timestamp(seconds: now.seconds / 60 * 60 + $0 * 60 + 240)
        }
        #expect(Self.size(of: cadence) < 200, "\(Self.size(of: cadence)), \(cadence.recent.count) dates")
    }

    @Test(arguments: [-86_400, -3_600, -60, 0, 60, 86_400] as [Int64], [0, 1, 2])
    func `what is learned comes back`(shift: Int64, shifted: Int) {
        var cadence = Cadence()
        for isKnown in [false, true] {
            (cadence.dateShift, cadence.shiftedInARow, cadence.isShiftKnown) = (shift, shifted, isKnown)
            for dates in [[], Self.dates(every: Self.day)] {
                (cadence.recent, cadence.plan) = (dates, dates.reversed())
                var other = Cadence()
                LearnedRhythm(text: LearnedRhythm(cadence).text ?? "").set(&other)
                #expect(other == cadence)
            }
        }
    }

    /// Libraries keep these texts.
    @Test func `numbers have the text that they always had`() {
        let numbers: [(Int64, parameter: Int)] = [
            (28_402_860, 24), (0, 7), (144, 7), (1_440, 10), (1 << 40, 31), (3, 0),
        ]
        var text = SixBitText()
        text.append(37, bits: 6)
        for (number, parameter) in numbers { text.append(number, parameter: parameter) }
        #expect(text.text == "FvCSvEaCc2aaqcaaaaai")
        var reader = SixBitText.Reader(text.text.utf8)
        #expect(reader.next(bits: 6) == 37)
        for (number, parameter) in numbers { #expect(reader.next(parameter: parameter) == number) }
        #expect(reader.next(parameter: 0) == nil)
    }

    @Test func `a damaged text gives what stands before the damage, or other dates`() {
        let dates = Self.dates(every: 7 * Self.day, scatter: 3_600)
        let text = CompactDates.text(dates)
        #expect(dates.starts(with: CompactDates.dates((text.prefix(40) + "!" + text).utf8)))
        for damaged in [String(repeating: "_", count: 99), String(repeating: "a", count: 99), "7", "", "\u{1F600}"] {
            #expect(CompactDates.dates(damaged.utf8).count <= 99)
            _ = LearnedRhythm(text: damaged + "." + damaged + "." + damaged)
        }
    }
}

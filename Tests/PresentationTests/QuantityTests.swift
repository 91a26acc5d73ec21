import Domain
import Testing

@testable import Presentation

@Suite struct QuantityTests {
    /// 2024-03-15T12:00:00Z
    private let now = Timestamp(seconds: 1_710_504_000)

    @Test(arguments: [
        (-30, "just now"), (-60, "1 minute ago"), (-7_199, "1 hour ago"), (-7_200, "2 hours ago"), (-86_400, "yesterday"),
        (-3 * 86_400, "3 days ago"), (30, "in a moment"), (3_600, "in 1 hour"), (86_400, "tomorrow"),
    ])
    func `near times are told relative to now`(offset: Int64, words: String) {
        #expect((now + offset).relative(to: now) == words)
    }

    @Test func `far times are dates, with the year where it is another`() {
        #expect((now - 60 * 86_400).relative(to: now) == "15 Jan")
        #expect((now - 400 * 86_400).relative(to: now) == "9 Feb 2023")
    }

    @Test(arguments: [(0, "0:00"), (59.9, "0:59"), (245, "4:05"), (3_723, "1:02:03")])
    func `lengths look as in a player`(seconds: Double, text: String) {
        #expect(formattedDuration(seconds) == text)
    }

    @Test(arguments: [
        (999, "999 B"), (1_400, "1.4 kB"), (999_499, "999 kB"), (999_999, "1.0 MB"), (64_000_000, "64 MB"),
        (5_000_000_000, "5.0 GB"),
    ])
    func `sizes have two or three digits`(bytes: Int, text: String) {
        #expect(formattedSize(bytes) == text)
    }

    @Test func `counts are grouped and have their plural`() {
        #expect(counted(1, "episode") == "1 episode")
        #expect(counted(1_234_567, "episode") == "1,234,567 episodes")
        #expect(grouped(-1_000) == "-1,000")
    }
}

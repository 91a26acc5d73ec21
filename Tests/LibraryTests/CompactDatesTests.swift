import Domain
import Testing

@testable import Records

@Suite struct CompactDatesTests {
    @Test func `dates are stored to the minute in few bytes`() {
        let weekly = (0..<52).map { Timestamp(seconds: 1_704_171_600 - Int64($0) * 604_800) }
        let text = CompactDates.text(weekly)
        #expect(text.utf8.count <= 165)
        #expect(CompactDates.dates(text) == weekly)
        #expect(CompactDates.text([]).isEmpty)
        #expect(CompactDates.dates("").isEmpty)
    }

    @Test func `what is learned of a podcast takes less than 200 bytes`() {
        let weekly = (0..<52).map { Timestamp(seconds: 1_704_171_600 - Int64($0) * 604_800) }
        // A request a day, and each quarter of an hour in the usual hours.
        let plan = (0..<12).map { Timestamp(seconds: 1_704_171_600 + Int64($0) * ($0 < 6 ? 86_400 : 87_300)) }
        #expect(CompactDates.text(weekly).utf8.count + CompactDates.text(plan.reversed()).utf8.count < 200)
        #expect(CompactDates.dates(CompactDates.text(plan.reversed())) == plan.reversed())
    }

    @Test func `a damaged text gives what stands before the damage`() {
        let dates = [Timestamp(seconds: 1_704_171_600), Timestamp(seconds: 1_704_000_000)]
        #expect(CompactDates.dates(CompactDates.text(dates) + "!" + CompactDates.text(dates)) == dates)
        #expect(CompactDates.dates(String(repeating: "Z", count: 99)).isEmpty)
    }
}

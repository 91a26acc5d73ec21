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

    @Test func `a damaged text gives what stands before the damage`() {
        let dates = [Timestamp(seconds: 1_704_171_600), Timestamp(seconds: 1_704_000_000)]
        #expect(CompactDates.dates(CompactDates.text(dates) + "!" + CompactDates.text(dates)) == dates)
        #expect(CompactDates.dates(String(repeating: "Z", count: 99)).isEmpty)
    }
}

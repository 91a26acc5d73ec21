import Domain
import Searching
import Testing

struct QueryExpansionTests {
    private let expansion = QueryExpansion(
        named: ["commute": "is:new shorter:30m", "both": "query:commute OR tea", "loop": "query:loop x"], zone: 7_200)
    /// 2024-05-02T23:30:00Z, which is the third of May two hours further east.
    private let now = Timestamp(seconds: 1_714_692_600)

    @Test(arguments: [
        ("query:commute", "(is:new shorter:30m)"), ("-query:Commute tea", "-(is:new shorter:30m) tea"),
        ("(tea OR query:commute)", "(tea OR (is:new shorter:30m))"), (#""query:commute" x"#, #""query:commute" x"#),
        ("query:both", "((is:new shorter:30m) OR tea)"), ("query:unknown", "query:unknown"), ("title:tea", "title:tea"),
        ("after:today", "after:2024-05-02T22:00:00Z"), ("before:yesterday", "before:2024-05-01T22:00:00Z"),
        ("added:yesterday..today", "added:2024-05-01T22:00:00Z..2024-05-03T21:59:59Z"),
        ("added:2024..today", "added:2024..2024-05-03T21:59:59Z"), ("after:2w", "after:2w"), ("\"unclosed", "\"unclosed"),
    ]) func `names and days are replaced`(query: String, expanded: String) {
        #expect(expansion.expanded(query, now: now) == expanded)
    }

    @Test func `queries that name each other end`() {
        #expect(expansion.expanded("query:loop", now: now).utf8.count < 200)
    }
}

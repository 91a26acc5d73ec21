import Testing

@testable import Parsing

/// The links of a Link header (RFC 8288).
@Suite struct LinkHeaderTests {
    @Test func `URLs and quoted parameters may hold commas and semicolons`() {
        let links = LinkHeader.links(
            #"<https://a.example/f?x=1,2;3>; rel="alternate feed"; title="One, \"two\"; three" , </b>;REL=next;rel=first, <>; rel"#
        )
        #expect(links.map(\.target) == ["https://a.example/f?x=1,2;3", "/b", ""])
        #expect(links.map { $0["rel"] } == ["alternate feed", "next", ""])
        #expect(links[0]["title"] == #"One, "two"; three"#)
    }

    @Test(arguments: ["", "no link", "<open", "<a", "; rel=x", ",,,", "\"<\""]) func `what is no link is none`(text: String) {
        #expect(LinkHeader.links(text).isEmpty)
    }

    @Test func `what is cut off ends`() {
        #expect(LinkHeader.links(#"<a>; title="x\"#).map(\.target) == ["a"])
        #expect(LinkHeader.links("<a>;;; rel = next ;, <b>").map { $0["rel"] } == ["next", nil])
    }
}

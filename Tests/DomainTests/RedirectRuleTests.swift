import Addresses
import Domain
import Testing

struct RedirectRuleTests {
    @Test(
        arguments: [
            ([], nil), ([301], "1"), ([308, 301], "2"), ([302], nil), ([302, 301], nil), ([301, 302, 301], "1"),
            ([307, 301], nil),
            ([301, 308, 303], "2"),
        ] as [([Int], String?)])
    func `a subscription moves to the end of the permanent prefix`(statuses: [Int], home: String?) {
        let redirects = statuses.enumerated().map { Redirect(status: $1, from: "\($0)", to: "\($0 + 1)") }
        #expect(RedirectRule.movedURL(after: redirects) == home)
    }

    @Test func `from HTTP to HTTPS is fine and back is not`() throws {
        let http = try #require(WebURL("http://example.com/"))
        let https = try #require(WebURL("https://example.com/"))
        #expect(try RedirectRule.target(of: 301, from: http, location: https.text, followed: [], limit: 10) == https)
        #expect(throws: FetchFailure.self) {
            try RedirectRule.target(of: 301, from: https, location: http.text, followed: [], limit: 10)
        }
    }
}

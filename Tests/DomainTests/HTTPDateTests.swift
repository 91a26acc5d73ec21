import Domain
import Testing

struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "06 Nov 1994 08:49:37 GMT", "sun, 6 nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37",
    ])
    func `the forms of HTTP are read`(text: String) {
        #expect(HTTPDate.parse(text) == Timestamp(year: 1994, month: 11, day: 6, hour: 8, minute: 49, second: 37))
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 PST",
    ])
    func `what is no date is none`(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}

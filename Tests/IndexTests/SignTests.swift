import Domain
import Index
import Searching
import Testing

/// Words written with signs between them.
struct SignTests {
    @Test(arguments: [
        ("The U.S. story", ["U.S.", "US", "us", "u s"]), ("Node.js now", ["Node.js", "nodejs", "node js"]),
        ("Back in black: AC/DC", ["AC/DC", "acdc", "ac dc"]), ("At re:Invent", ["re:Invent", "reinvent"]),
        ("Rock&Roll", ["Rock&Roll", "rock and roll", "rock & roll", "rock roll"]),
        ("Rock and roll", ["Rock&Roll", "rock and roll", "rock & roll"]), ("R&B hour", ["R&B", "r and b", "r b"]),
        ("R&amp;B hour", ["R&B", "r b"]),
        ("Learning camelCase", ["camelCase", "camel", "case"]),
    ]) func `are found with, without and with other signs`(title: String, queries: [String]) async throws {
        let fixture = try IndexFixture()
        try await fixture.index.apply([
            .whole(podcast(), Channel(), [episode("a", title), episode("b", "Something else", age: 1)])
        ])
        for query in queries { #expect(try await fixture.search(query) == ["pod00000-a"], "\(query)") }
    }
}

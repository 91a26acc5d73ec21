import Domain
import Searching
import Testing

@testable import Index

/// Where the words of a phrase stand, and compound words of a field.
@Suite struct PhraseTests {
    private let fixture: IndexFixture

    init() throws { fixture = try IndexFixture() }

    private func found(_ text: String) async throws -> Set<String> {
        Set(try await fixture.search(text) { $0.limit = 100 }.map { String($0.dropFirst("pod00000-".count)) })
    }

    @Test func `a phrase is in one text`() async throws {
        func person(_ name: String) -> Person {
            var person = Person()
            person.name = name
            return person
        }
        var channel = Channel()
        channel.tags = ["Late night", "Talk show"]
        let ending = " Thanks to all of our listeners, wherever you are: see you in harbour"
        try await fixture.index.apply([
            .whole(
                podcast(), channel,
                [
                    episode("a", "Storm") { $0.itunesTitle = "Winter" }, episode("b", "Storm\nWinter", age: 1),
                    episode("c", "x", age: 2) { $0.persons = [person("Ada Bell"), person("Cole Dean")] },
                    episode("d", "y", age: 3) { $0.keywords = ["green tea", "cake"] },
                    episode("e", "z", age: 4) { ($0.description, $0.content) = ("A lemon", "Cake and tea." + ending) },
                    episode("f", "z", age: 5) { ($0.description, $0.content) = ("Not a lemon", "Cake and milk." + ending) },
                    episode("g", "z", age: 6) { ($0.description, $0.content) = ("To be seen", "In." + ending) },
                ])
        ])
        #expect(try await found("\"storm winter\"") == ["b"])
        #expect(try await found("person:\"cole dean\"") == ["c"])
        #expect(try await found("\"bell cole\"").isEmpty)
        #expect(try await found("\"green tea\"") == ["d"])
        #expect(try await found("\"tea cake\"").isEmpty)
        #expect(try await found("\"lemon cake\"").isEmpty)
        #expect(try await found("\"cake and milk thanks\"") == ["f"])
        #expect(try await found("\"seen in\"").isEmpty)
        #expect(try await found("\"in thanks\"") == ["g"])
        #expect(try await found("\"night talk\"").isEmpty)
        #expect(try await found("\"talk show\"").count == 7)
    }

    @Test func `a phrase goes on in the next line of a transcript`() async throws {
        let one = episode("a", "x")
        let lines = ["the night", "radio"].map { TranscriptSegment(start: nil, text: $0) }
        try await fixture.index.apply([.whole(podcast(), Channel(), [one], transcripts: [one.id: lines])])
        #expect(try await found("said:\"night radio\"") == ["a"])
    }

    @Test func `words with hyphens are found in one field`() async throws {
        let one = episode("b", "Tea", age: 1) { $0.description = "A live-stream" }
        try await fixture.index.apply([
            .whole(
                podcast(), Channel(),
                [
                    episode("a", "The Live-Stream"), one,
                    episode("c", "x", age: 2) { ($0.author, $0.keywords) = ("O'Brien", ["Wi-Fi", "re-election"]) },
                ],
                transcripts: [one.id: [TranscriptSegment(start: 7, text: "An e-bike, and e-mail.")]])
        ])
        #expect(try await found("livestream") == ["a", "b"])
        #expect(try await found("title:livestream") == ["a"])
        #expect(try await found("title:livestreams") == ["a"])
        #expect(try await found("title:live*") == ["a"])
        #expect(try await found("author:obrien") == ["c"])
        #expect(try await found("keyword:wifi") == ["c"])
        #expect(try await found("title:wifi").isEmpty)
        #expect(try await found("said:ebike") == ["b"])
        #expect(try await fixture.index.search(SearchRequest(text: "said:ebike")).hits.map(\.field) == ["transcript"])
        #expect(try await found("\"wifi reelection\"").isEmpty)
    }
}

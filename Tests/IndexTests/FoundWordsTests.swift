import Domain
import Searching
import Testing

@testable import Index

/// Which texts a word stands for.
@Suite struct FoundWordsTests {
    private let fixture: IndexFixture

    init() throws { fixture = try IndexFixture() }

    private func add(_ titles: [String]) async throws {
        let episodes = titles.enumerated().map { episode("e\($0)", $1, age: Int64($0)) }
        try await fixture.index.apply([.whole(podcast(), Channel(), episodes)])
    }

    private func found(_ text: String) async throws -> Set<String> {
        Set(try await fixture.search(text) { $0.limit = 100 }.map { String($0.dropFirst("pod00000-".count)) })
    }

    /// `streamline` stood for all three words.
    @Test func `words that others write as one do not stand for the word before them`() async throws {
        try await add([
            "Streamline", "Livestream", "A livestream and a line", "Live and streamline", "Line, stream, live", "Live line",
        ])
        #expect(try await found("live stream line") == ["e2", "e3", "e4"])
        #expect(try await found("live stream") == ["e1", "e2", "e4"])
    }

    @Test func `forms of a word are found in advertising`() async throws {
        let one = episode("a", "x")
        var spoken = [TranscriptSegment(start: 0, text: "Welcome"), TranscriptSegment(start: 5, text: "Running livestreams")]
        spoken[1].isAd = true
        try await fixture.index.apply([.whole(podcast(), Channel(), [one], transcripts: [one.id: spoken])])
        #expect(try await found("said:running") == ["a"])
        #expect(try await found("said:run") == ["a"])
        #expect(try await found("said:live said:streams") == ["a"])
    }

    /// An episode may contain several words of one beginning.
    @Test func `no more matches of a beginning are counted than there are`() async throws {
        try await add((0..<4_000).map { $0 % 2 == 0 ? "Lira, lime, lion, list" : "Tea" })
        var request = SearchRequest(text: "li*")
        for sort in SearchRequest.Sort.allCases {
            request.sort = sort
            #expect(try await fixture.index.search(request).total.count <= 2_000)
        }
    }

    /// A word that no episode contains is most likely one typed without its accents.
    @Test func `a word of removed episodes alone counts as one typed without accents`() async throws {
        var channel = Channel()
        channel.language = "fr"
        try await fixture.index.apply([.whole(podcast(), channel, [episode("a", "Les musées de Paris")])])
        #expect(try await found("musee") == ["a"])
        try await fixture.index.apply([.whole(podcast("other000"), Channel(), [episode("b", "Musee", of: "other000")])])
        try await fixture.index.apply([.removed(PodcastID(text: "other000"))])
        #expect(try await found("musee") == ["a"])
    }

    @Test func `words of removed episodes alone are neither known nor suggested`() async throws {
        func suggestion(_ text: String) async throws -> String? {
            try await fixture.index.search(SearchRequest(text: text)).suggestion
        }
        try await add(["Bicycle repair", "Trains"])
        let gone = ["bicicle", "zebras"].map { episode($0, $0, of: "other000") }
        try await fixture.index.apply([.whole(podcast("other000"), Channel(), gone)])
        #expect(try await suggestion("zebros") == "zebras")
        #expect(try await suggestion("bicicle") == nil)
        try await fixture.index.apply([.removed(PodcastID(text: "other000"))])
        #expect(try await suggestion("zebros") == nil)
        #expect(try await suggestion("bicicle") == "bicycle")
    }
}

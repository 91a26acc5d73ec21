import Domain
import FileSystem
import Glibc
import Index
import Searching
import Testing

/// Search in many languages. Each file of Fixtures/search is a library: texts of episodes, below each one the queries
/// that find it (`+`), and that do not (`-`). `german.de.txt` is a podcast that says it is in German.
@Suite struct LanguageTests {
    struct Text: Sendable {
        var text: String
        var queries: [(query: String, finds: Bool)] = []
    }

    static let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Fixtures/search"

    static let names = (folderNames(folder) ?? []).filter { $0.hasSuffix(".txt") }.sorted()

    static func read(_ name: String) throws -> [Text] {
        let file = try #require(fopen(folder + "/" + name, "rb"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        var texts: [Text] = []
        var isText = true
        for line in bytes[..<count].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if isText, !line.isEmpty {
                texts.append(Text(text: String(decoding: line, as: UTF8.self)))
            } else if !line.isEmpty {
                let query = String(decoding: line.dropFirst(2), as: UTF8.self)
                texts[texts.count - 1].queries.append((query, line.first == UInt8(ascii: "+")))
            }
            isText = line.isEmpty
        }
        return texts
    }

    @Test(arguments: names)
    func `finds what is meant`(name: String) async throws {
        let texts = try Self.read(name)
        #expect(texts.contains { !$0.queries.isEmpty })
        let fixture = try IndexFixture()
        let episodes = texts.enumerated().map { number, text in episode("e\(number)", "x") { $0.description = text.text } }
        var channel = Channel()
        let parts = name.split(separator: ".")
        if parts.count == 3 { channel.language = String(parts[1]) }
        try await fixture.index.apply([.whole(podcast(), channel, episodes)])
        for (text, episode) in zip(texts, episodes) {
            for (query, finds) in text.queries {
                let isMatch = try await fixture.search(query).contains(episode.id.text)
                #expect(isMatch == finds, "\(query) in \(text.text)")
            }
        }
    }
}

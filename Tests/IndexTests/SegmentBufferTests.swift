import Domain
import Foundation
import Testing

@testable import Index

/// Documents are turned into postings in portions; how large these are shows nowhere.
@Suite struct SegmentBufferTests {
    private func segment(mostOccurrences: Int) throws -> Data {
        let buffer = SegmentBuffer(mostBytes: 1 << 20, mostOccurrences: mostOccurrences)
        let podcast = podcast()
        let common = PodcastText(podcast, Channel(), Language(letters: "en"))
        buffer.set(PodcastRow(), of: podcast.id)
        var text = IndexedText()
        for number in 0..<300 {
            let episode = episode("e\(number)", "Tea and cake \(number % 7)", age: Int64(number * 37 % 300)) { item in
                item.description = String(repeating: "tea lemon\(number % 11) river tea ", count: number % 5 + 1)
            }
            text.fill(episode, of: common, transcript: [])
            buffer.add(episode, &text, digest: UInt64(number))
        }
        let path = FileManager.default.temporaryDirectory.appending(path: "segment-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try buffer.write(to: path)
        return try Data(contentsOf: URL(filePath: path))
    }

    @Test(arguments: [1, 2, 300, 1_000]) func portionsShowNowhere(mostOccurrences: Int) throws {
        let whole = try segment(mostOccurrences: .max)
        #expect(whole.count > 1_000)
        #expect(try segment(mostOccurrences: mostOccurrences) == whole)
    }
}

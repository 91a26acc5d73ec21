import Domain
import Foundation
import Searching
import Testing

@testable import Index

/// A segment's bytes depend only on its documents, not on how it was built.
@Suite final class SegmentBufferTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "segments-\(UUID())").path
    private let common = PodcastText(podcast(), Channel(), Language(letters: "en"))

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// - Returns: the segment's path, and what the manifest says of it.
    private func write(
        _ episodes: [Episode], number: Int = 1, maxOccurrenceBytes: Int? = nil
    ) throws -> (path: String, entry: Manifest.Entry) {
        let buffer = SegmentBuffer(maxBytes: 1 << 20, maxOccurrenceBytes: maxOccurrenceBytes)
        buffer.set(SegmentPodcast(), of: podcast().id)
        var text = IndexedText()
        for episode in episodes {
            text.fill(episode, of: common, transcript: [])
            buffer.add(episode, &text, digest: UInt64(bitPattern: episode.item.publishedAt?.seconds ?? 0))
        }
        let path = "\(folder)/segment-\(number)"
        return (path, Manifest.Entry(number: number, size: try buffer.write(to: path)))
    }

    private func segment(_ episodes: [Episode], maxOccurrenceBytes: Int? = nil) throws -> Data {
        try Data(contentsOf: URL(filePath: write(episodes, maxOccurrenceBytes: maxOccurrenceBytes).path))
    }

    private func episodes(_ count: Int) -> [Episode] {
        (0..<count).map { number in
            episode("e\(number)", "Tea and cake \(number % 7)", age: Int64(number * 37 % count)) { item in
                item.description = String(repeating: "tea lemon\(number % 11) river tea ", count: number % 5 + 1)
            }
        }
    }

    @Test(arguments: [1, 8, 1_200, 4_000]) func `portions show nowhere`(maxOccurrenceBytes: Int) throws {
        let episodes = episodes(300)
        #expect(try segment(episodes, maxOccurrenceBytes: maxOccurrenceBytes) == segment(episodes))
    }

    /// In a text this long, a position and its document need more than four bytes.
    @Test func `a very long text keeps its places`() async throws {
        let fixture = try IndexFixture()
        let long = String(repeating: "tea ", count: 600_000) + "quince marmalade"
        let all = episodes(200) + [episode("long", "Tea", age: 9_999) { $0.description = long }]
        try await fixture.index.apply([.whole(podcast(), Channel(), all)])
        #expect(try await fixture.search("\"quince marmalade\"") == ["pod00000-long"])
        #expect(try await fixture.search("\"tea quince\"") == ["pod00000-long"])
        #expect(try await fixture.search("\"marmalade quince\"") == [])
    }

    /// Episodes that end as the one before are not taken apart to their end.
    @Test func `endings that repeat show nowhere`() throws {
        let endings = [
            "<p>Follow us: a well-known wi-fi show, Émile's café</p><p>東京 タワー で 会いましょう</p><p>Thanks for hearing us today</p>",
            "<p>Ещё новые передачи, rock-n-roll</p><p>Follow us: a well-known wi-fi show</p><p>Thanks for hearing us today</p>",
            "<p>Thanks for hearing us today</p>", "",
        ]
        let all = (0..<400).map { number in
            episode("e\(number)", "Tea \(number % 3)", age: Int64(number)) { item in
                item.description = "<p>Number \(number), a well-\(number % 5) day</p>" + endings[number % 4]
            }
        }
        let grouped = (0..<4).flatMap { kind in stride(from: kind, to: 400, by: 4).map { all[$0] } }
        #expect(try segment(all) == segment(grouped))
    }

    @Test func `what is merged is what one segment would have`() throws {
        let all = episodes(18_000)
        let parts = try (0..<3).map { part in
            try write(stride(from: part, to: all.count, by: 3).map { all[$0] }, number: part + 2)
        }
        let sources = try parts.map { try Segment($0.path, $0.entry) }
        let size = try Merge(sources, deleted: sources.map { _ in DocumentSet() }).write(to: "\(folder)/segment-9", older: [])
        let merged = try Segment("\(folder)/segment-9", Manifest.Entry(number: 9, size: size))
        let (path, entry) = try write(all)
        let whole = try Segment(path, entry)
        for section in SegmentLayout.Section.allCases where section != .sums {
            #expect(merged[section].elementsEqual(whole[section]), "\(section)")
        }
    }
}

import Foundation
import Memory
import Testing

@testable import Index

/// The deleted documents of older segments, as a segment stores them.
@Suite final class DeletionsTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "deletions-\(UUID())").path

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private func written(_ deletions: Deletions) throws -> [UInt8] {
        let file = try FileWriter(path, headerSize: 8, replaces: false)
        try deletions.write(to: file)
        let size = file.count - 8
        var header = GrowingBytes(capacity: 8)
        header.append(fixed: UInt64(0))
        try file.finish(header: header)
        return Array(try Data(contentsOf: URL(filePath: path))[8..<8 + size])
    }

    private func read(_ bytes: [UInt8], documents: (Int) -> Int) -> Deletions {
        bytes.withBytes { Deletions($0, documents: documents) }
    }

    private func listed(_ deletions: Deletions) -> [Int: [Int]] {
        deletions.sets.mapValues { set in (0..<set.words.count * 64).filter { set.contains($0) } }
    }

    @Test func `few and many are read as they were written`() throws {
        let expected = [
            3: [0, 63, 64, 65_535, 65_536, 200_000], 5: Array(0..<70_000), 9: Array(stride(from: 1, to: 150_000, by: 3)),
            12: Array(0..<4_096), 13: Array(0..<4_097),
        ]
        var deletions = Deletions()
        for (segment, documents) in expected { for document in documents { deletions.insert(document, of: segment) } }
        let bytes = try written(deletions)
        let again = read(bytes) { _ in 1_000_000 }
        #expect(listed(again) == expected)
        for (segment, set) in again.sets { #expect(set.count == expected[segment]?.count) }
        // An eighth of a byte for each document, and two bytes where they are few.
        #expect(bytes.count < 100_000)
    }

    @Test func `what several segments delete is deleted once`() throws {
        var (one, two) = (Deletions(), Deletions())
        for document in 0..<10_000 { one.insert(document, of: 1) }
        for document in 5_000..<20_000 { two.insert(document, of: 1) }
        two.insert(7, of: 2)
        one.formUnion(two)
        #expect(listed(one) == [1: Array(0..<20_000), 2: [7]])
        #expect(one.sets[1]?.count == 20_000)
    }

    @Test func `damaged bytes name no document that a segment does not have`() throws {
        var deletions = Deletions()
        for document in 0..<10_000 { deletions.insert(document, of: 1) }
        for document in [3, 70_000] { deletions.insert(document, of: 2) }
        let bytes = try written(deletions)
        #expect(listed(read(bytes) { $0 == 1 ? 100 : 0 }) == [1: Array(0..<100)])
        for position in bytes.indices where position < 40 || position > bytes.count - 40 {
            var damaged = bytes
            damaged[position] = 0xFF
            for (_, set) in read(damaged, documents: { _ in 500 }).sets { #expect(set.count <= 500 && set.words.count <= 8) }
        }
        #expect(read(Array(bytes.prefix(5))) { _ in 0 }.isEmpty)
    }
}

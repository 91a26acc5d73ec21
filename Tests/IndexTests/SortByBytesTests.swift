import Memory
import Testing

@testable import Index

@Suite struct SortByBytesTests {
    /// More than are sorted at once, with common beginnings longer than the numbers by which most are compared.
    @Test(arguments: [0, 1, 100, 20_000]) func `numbers are sorted by their bytes`(count: Int) {
        var generator = SystemRandomNumberGenerator()
        let beginnings: [[UInt8]] = [[], [0], [0xFF], Array("abcdefgh".utf8), Array("abcdefghi".utf8), Array("новы".utf8)]
        let texts = (0..<count).map { _ in
            beginnings[Int.random(in: beginnings.indices, using: &generator)]
                + (0..<Int.random(in: 0...3, using: &generator)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
        var bytes = GrowingBytes()
        let starts = texts.map { text in
            defer { text.withBytes { bytes.append($0) } }
            return bytes.count
        }
        let order = sorted(0..<UInt32(count)) { bytes.view.part(starts[Int($0)], texts[Int($0)].count) }
        #expect(order.sorted() == Array(0..<UInt32(count)))
        let result = order.map { texts[Int($0)] }
        #expect(zip(result, result.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) })
    }
}

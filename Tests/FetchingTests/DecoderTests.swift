import CDecoders
import Testing

@testable import Fetching

/// All gzip decoders give the same output, however the input is split.
struct DecoderTests {
    private func decode(_ bytes: [UInt8], by kind: decoder_kind, pieces: Int) throws -> (text: String, isComplete: Bool) {
        let decoder = try ContentDecoder(.gzip, by: kind)
        var decoded: [UInt8] = []
        var remaining = bytes[...]
        while !remaining.isEmpty {
            try decoder.decode(Array(remaining.prefix(pieces))) { decoded += $0 }
            remaining = remaining.dropFirst(pieces)
        }
        return (String(decoding: decoded, as: UTF8.self), decoder.isComplete)
    }

    @Test(arguments: ContentDecoder.Encoding.gzip.kinds.filter(decoder_exists).map(\.rawValue), [1, 2, 7, 1_000])
    func `gzip is decoded in any pieces`(_ rawKind: UInt32, _ pieces: Int) throws {
        let kind = decoder_kind(rawValue: rawKind)
        let (gzip, text) = (BodyTests.gzip, BodyTests.text)
        func isWhole(_ bytes: [UInt8], _ expected: String) throws -> Bool {
            try decode(bytes, by: kind, pieces: pieces) == (expected, true)
        }
        #expect(try isWhole(gzip, text))
        #expect(try isWhole(gzip + gzip, text + text), "two members")
        #expect(try isWhole(gzip + [0, 0, 0], text), "padding")
        #expect(try isWhole(gzip + Array("garbage".utf8), text), "garbage")
        #expect(try !decode(Array(gzip.dropLast()), by: kind, pieces: pieces).isComplete, "cut off in the trailer")
        #expect(try !decode(gzip + gzip.prefix(15), by: kind, pieces: pieces).isComplete, "cut off in the second member")
        let spaces = try decode(decodedOnce(kind), by: kind, pieces: pieces)
        #expect(spaces == (String(repeating: " ", count: 1_000_000), true), "much of little")
        var flipped = gzip
        flipped[gzip.count - 5] ^= 1
        #expect(throws: (any Error).self, "a wrong sum") { try decode(flipped, by: kind, pieces: pieces) }
    }

    private func decodedOnce(_ kind: decoder_kind) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try ContentDecoder(.gzip, by: kind).decode(BodyTests.twice) { bytes += $0 }
        return bytes
    }

    @Test func `what cannot be decoded here is not begun`() {
        #expect(throws: (any Error).self) { try ContentDecoder(.gzip, by: nil) }
    }
}

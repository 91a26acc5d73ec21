import CScan
import Testing

/// The quick check of bytes agrees with Swift's own on what is UTF-8.
@Suite struct XMLTextTests {
    private func isXMLText(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { CScan.isXMLText($0.baseAddress, $0.count) }
    }

    /// Each sequence at each place of a text, so that it lies across the pieces that are checked together.
    @Test(
        arguments: [
            [0xC2, 0x80], [0xC1, 0xBF], [0xDF, 0xBF], [0xC0, 0x80], [0xE0, 0xA0, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0x9F, 0xBF],
            [0xED, 0xA0, 0x80], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD], [0xF0, 0x90, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x8F, 0xBF, 0xBD], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xBF], [0xC3], [0xE2, 0x82],
            [0xF0, 0x9F, 0x98], [0xFF], [0xFE], [0xE2, 0x82, 0xAC, 0xAC], [0xC3, 0xA4, 0xC3],
        ] as [[UInt8]]) func `one sequence`(_ sequence: [UInt8])
    {
        for before in 0..<40 {
            for after in [0, 1, 2, 15, 16, 17] {
                let bytes = [UInt8](repeating: 0x61, count: before) + sequence + [UInt8](repeating: 0x62, count: after)
                #expect(
                    isXMLText(bytes) == (String(validating: bytes, as: UTF8.self) != nil), "\(sequence) at \(before), \(after)")
            }
        }
    }

    @Test func `any bytes`() {
        let parts: [[UInt8]] = ["a", "é", "я", "東", "😀", "\u{FFFD}", " "].map { Array($0.utf8) }
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0...24)).flatMap { _ in parts.randomElement() ?? [] }
            if Bool.random(), !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices)] = UInt8.random(in: .min ... .max)
            }
            if Bool.random() { bytes.removeLast(min(bytes.count, 1)) }
            let text = String(validating: bytes, as: UTF8.self)
            let isExpected = text.map { !$0.unicodeScalars.contains { ["\u{FFFE}", "\u{FFFF}"].contains($0) } } ?? false
            #expect(isXMLText(bytes) == isExpected, "\(bytes)")
        }
    }

    @Test(arguments: ["\u{FFFE}", "\u{FFFF}"]) func `what is no character of XML`(_ text: String) {
        #expect(!isXMLText(Array(("a" + text + "b").utf8)))
        #expect(!isXMLText(Array((String(repeating: "a", count: 14) + text).utf8)))
    }
}

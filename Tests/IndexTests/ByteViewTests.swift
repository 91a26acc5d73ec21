import Testing

@testable import Index

@Suite struct ByteViewTests {
    private static let bytes: [UInt8] = Array(1...12)

    @Test(arguments: [(0, 12), (3, 4), (12, 0), (11, 1)]) func `a part has the bytes of its range`(offset: Int, size: Int) {
        Self.bytes.withBytes { #expect(Array($0.part(offset, size)) == Array(Self.bytes[offset..<offset + size])) }
    }

    @Test(arguments: [(-1, 1), (0, 13), (13, 0), (5, -1), (5, .max), (.max, 1)])
    func `a part that exceeds the bytes is empty`(offset: Int, size: Int) {
        Self.bytes.withBytes { #expect($0.part(offset, size).isEmpty) }
    }

    @Test(arguments: [(0, 0x0403_0201), (8, 0x0C0B_0A09), (9, 0), (-1, 0), (.max, 0), (.min, 0)])
    func `a number outside of the bytes is zero`(offset: Int, expected: UInt32) {
        Self.bytes.withBytes { #expect($0.number(offset, as: UInt32.self) == expected) }
    }

    @Test func `views sort like their bytes`() {
        let texts: [[UInt8]] = [[], [0], [0, 0xFF], [1], Array(1...8), Array(1...9), [0xFF]]
        for (first, a) in texts.enumerated() {
            for (second, b) in texts.enumerated() {
                a.withBytes { a in
                    b.withBytes { b in
                        #expect(ByteView.order(a, b).signum() == (first - second).signum())
                        #expect(ByteView.precedes(a, b) == (first < second))
                        if a.beginning != b.beginning { #expect((a.beginning < b.beginning) == (first < second)) }
                    }
                }
            }
        }
    }

    @Test func `a slice becomes a view of its own`() {
        Self.bytes.withBytes { #expect(Array(ByteView($0[3..<5])) == [4, 5]) }
    }
}

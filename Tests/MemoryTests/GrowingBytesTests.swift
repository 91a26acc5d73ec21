import Memory
import Testing

@Suite struct GrowingBytesTests {
    private func content(_ buffer: borrowing GrowingBytes) -> [UInt8] { Array(buffer.bytes) }

    @Test(arguments: [0, 1, 1_024]) func `every way to append keeps what was there`(capacity: Int) {
        var buffer = GrowingBytes(capacity: capacity)
        var expected: [UInt8] = []
        for round in 0..<2_000 {
            let byte = UInt8(truncatingIfNeeded: round)
            buffer.append(byte)
            expected.append(byte)
            let some = [UInt8](repeating: byte, count: round % 7)
            buffer.append(some.span.bytes)
            some.withUnsafeBytes { buffer.append($0) }
            some.withUnsafeBufferPointer { buffer.append($0) }
            expected += some + some + some
            buffer.append("ab")
            expected += [97, 98]
            buffer.append(fixed: UInt16(0x0201))
            expected += [1, 2]
            buffer.skip(1).storeBytes(of: 9, as: UInt8.self)
            expected.append(9)
            buffer.append(upTo: 100) {
                $0.storeBytes(of: 8, as: UInt8.self)
                return 1
            }
            expected.append(8)
        }
        #expect(content(buffer) == expected && buffer.count == expected.count)
        #expect(buffer.withBytes { $0.byteCount } == expected.count)
    }

    @Test func `nothing can be appended`() {
        var buffer = GrowingBytes(capacity: 0)
        buffer.append("")
        buffer.append(UnsafeRawBufferPointer(start: nil, count: 0))
        buffer.append([UInt8]().span.bytes)
        buffer.append(upTo: 8) { _ in 0 }
        #expect(content(buffer).isEmpty)
    }

    @Test(arguments: [(-1, 0), (0, 0), (2, 2), (3, 3), (4, 3)]) func `cut keeps the beginning`(size: Int, remaining: Int) {
        var buffer = GrowingBytes()
        buffer.append("abc")
        buffer.cut(to: size)
        #expect(content(buffer) == Array([97, 98, 99].prefix(remaining)))
        buffer.append("d")
        #expect(content(buffer) == [97, 98, 99].prefix(remaining) + [100])
        buffer.removeAll()
        #expect(content(buffer).isEmpty)
    }

    @Test func `reserved memory stays where it is`() {
        var buffer = GrowingBytes(capacity: 1)
        buffer.append("a")
        buffer.reserve(5_000)
        let start = buffer.start
        for _ in 0..<5_000 { buffer.append(7) }
        #expect(buffer.start == start && buffer.count == 5_001)
    }

    @Test func `values are changed in place`() {
        var buffer = GrowingBytes()
        for number in 0..<100 as Range<UInt32> { buffer.append(fixed: number) }
        let values = buffer.values(as: UInt32.self)
        for index in values.indices { values[index] *= 2 }
        #expect(Array(buffer.values(as: UInt32.self)) == (0..<100).map { $0 * 2 })
    }

    @Test func `its owner can change`() {
        var one = GrowingBytes()
        one.append("one")
        var two = GrowingBytes(capacity: 0)
        two.append("two")
        swap(&one, &two)
        #expect(content(one) == Array("two".utf8) && content(two) == Array("one".utf8))
        one = two
        #expect(content(one) == Array("one".utf8))
    }
}

import Testing

@testable import Index

/// When segments are merged, on lists of their sizes, newest last.
@Suite struct MergeTests {
    @Test func `large segments stay where they are while small ones come and go`() {
        let large = [Int](repeating: 3_000_000, count: 11)
        #expect(Merge.range(of: large) == nil)
        #expect(Merge.range(of: large + [Int](repeating: 20_000, count: 11)) == nil)
        #expect(Merge.range(of: large + [Int](repeating: 20_000, count: 12)) == 11..<23)
        #expect(Merge.range(of: large + [20_000, 3_000_000]) == 0..<13)
    }

    @Test func `large segments are merged sooner`() {
        let large = [Int](repeating: 100_000_000, count: 7)
        #expect(Merge.range(of: large) == nil)
        #expect(Merge.range(of: large + [100_000_000, 3_000_000]) == 0..<9)
    }

    @Test func `the segments of a first fetch are merged although their sizes differ`() {
        let built = (0..<8).map { [18_294_672, 33_686_216, 28_813_762][$0 % 3] }
        #expect(Merge.range(of: Array(built.dropLast())) == nil)
        #expect(Merge.range(of: built) == 0..<8)
    }

    /// Ten thousand additions of one size: each byte is written again about once for each eight-fold growth.
    @Test(arguments: [20_000, 1_000_000]) func `an index that grows stays in few pieces and is seldom rewritten`(size: Int) {
        var sizes: [Int] = []
        var (most, rewritten) = (0, 0)
        for _ in 0..<10_000 {
            sizes.append(size)
            if let range = Merge.range(of: sizes) {
                let merged = sizes[range].reduce(0, +)
                rewritten += merged
                sizes.replaceSubrange(range, with: [merged])
            }
            most = max(most, sizes.count)
        }
        #expect(sizes.reduce(0, +) == 10_000 * size)
        #expect(most <= 40)
        #expect(rewritten <= 5 * 10_000 * size, "\(rewritten / size)")
    }

    @Test func `alternating sizes do not pile up`() {
        var sizes: [Int] = []
        for round in 0..<1_000 {
            sizes.append(round % 2 == 0 ? 3_000_000 : 20_000)
            if let range = Merge.range(of: sizes) { sizes.replaceSubrange(range, with: [sizes[range].reduce(0, +)]) }
            #expect(sizes.count <= 40)
        }
    }
}

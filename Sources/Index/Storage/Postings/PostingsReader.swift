internal import Memory

/// The postings of a term in a segment.
struct Postings {
    /// Number of documents that contain the term.
    var count: Int
    var positions: ByteView
    /// The table of blocks, if there are several, and the blocks.
    var blocks: ByteView
}

/// Reads the postings of a term block by block: first the documents, then for those that matter the frequencies and
/// positions. It reads and checks only what is needed.
///
/// A damaged block is treated as one without documents.
final class PostingsReader {
    private(set) var count = 0
    private(set) var blocks = 0
    /// The index of the loaded block; -1 if none.
    private(set) var block = -1
    /// Number of documents in it.
    private(set) var size = 0
    let documents = UnsafeMutablePointer<UInt32>.allocate(capacity: BitPacking.count)

    private let segmentDocuments: Int
    private let file: CheckedFile
    private var postings = Postings(
        count: 0, positions: .none, blocks: .none)
    /// Offset of the blocks, after the table.
    private var firstBlock = 0

    /// The distinct frequencies in the block, and for each document the index of its frequency among them; loaded when
    /// needed.
    private let frequencies = UnsafeMutablePointer<UInt32>.allocate(capacity: BitPacking.count)
    private let kinds = UnsafeMutablePointer<UInt32>.allocate(capacity: BitPacking.count)
    private(set) var kindCount = 0
    private var hasFrequencies = false
    /// Offset of the frequencies in the block.
    private var frequenciesOffset = 0
    private var hasPositions = false
    /// The document whose positions come next, where they begin, and where those of the block end.
    private var positionsIndex = 0
    private var positionsStart = 0
    private var positionsEnd = 0

    init(in segment: Segment) { (segmentDocuments, file) = (segment.documents, segment.file) }

    convenience init(_ postings: Postings, in segment: Segment) {
        self.init(in: segment)
        open(postings)
    }

    /// Reads another term of the same segment.
    func open(_ postings: Postings) {
        self.postings = postings
        count = postings.count
        blocks = (count + BitPacking.count - 1) / BitPacking.count
        firstBlock = blocks > 1 ? blocks * PostingsTable.rowSize : 0
        (block, size) = (-1, 0)
        check(0, firstBlock)
    }

    deinit {
        for pointer in [documents, frequencies, kinds] { pointer.deallocate() }
    }

    private func check(_ offset: Int, _ size: Int) {
        guard size > 0, let start = postings.blocks.part(offset, size).baseAddress else { return }
        file.check(start, size)
    }

    // MARK: The table

    /// The last document of a block.
    @inline(__always) func last(of block: Int) -> Int {
        if blocks > 1 { return Int(postings.blocks.number(block * 4, as: UInt32.self)) }
        if self.block != 0 { load(0) }
        return size > 0 ? Int(documents[size - 1]) : 0
    }

    /// The first block, from `block` on, that may contain a document at or after `target`; `blocks` if there is none.
    func block(from block: Int, target: Int) -> Int {
        // It is mostly near.
        var (low, step) = (block, 1)
        while low + step < blocks, last(of: low + step - 1) < target {
            low += step
            step *= 2
        }
        return (low..<min(low + step, blocks)).partitioningIndex { last(of: $0) >= target }
    }

    /// The greatest weight of the term in a block, by the average lengths at the time of writing.
    @inline(__always) func weight(of block: Int) -> Float {
        blocks > 1 ? PostingsTable.weight(code: postings.blocks.number(blocks * 12 + block * 2, as: UInt16.self)) : .infinity
    }

    private func offset(of block: Int) -> Int {
        blocks > 1 ? firstBlock + Int(postings.blocks.number(blocks * 4 + block * 4, as: UInt32.self)) : 0
    }

    private func positionsOffset(of block: Int) -> Int {
        blocks > 1 ? Int(postings.blocks.number(blocks * 8 + block * 4, as: UInt32.self)) : 0
    }

    // MARK: Blocks

    func load(_ block: Int) {
        self.block = block
        (size, hasFrequencies, hasPositions) = (0, false, false)
        guard block >= 0, block < blocks else { return }
        let before = block > 0 ? Int64(last(of: block - 1)) : -1
        let start = offset(of: block)
        if (block + 1) * BitPacking.count <= count { loadFull(start, before) } else { loadLast(start, before) }
        if blocks > 1, size > 0, Int(documents[size - 1]) != last(of: block) { size = 0 }
        if size == 0 { file.noteDamage() }
    }

    private func loadFull(_ start: Int, _ before: Int64) {
        let width = Int(postings.blocks.number(start, as: UInt8.self))
        let packed = postings.blocks.part(start + 2, BitPacking.size(width: width))
        guard width <= 32, let address = packed.baseAddress ?? postings.blocks.part(start, 2).baseAddress else { return }
        check(start, 2 + packed.count)
        BitPacking.unpack(address, width: width, into: documents)
        var last = before
        for index in 0..<BitPacking.count {
            last += Int64(documents[index]) + 1
            documents[index] = UInt32(truncatingIfNeeded: last)
        }
        guard last < segmentDocuments else { return }
        frequenciesOffset = start + 2 + packed.count
        size = BitPacking.count
    }

    private func loadLast(_ start: Int, _ before: Int64) {
        let bytes = postings.blocks.part(start, postings.blocks.count - start)
        guard let base = bytes.baseAddress else { return }
        file.check(base, bytes.count)
        var (address, end) = (base, base + bytes.count)
        var last = before
        for index in 0..<count - block * BitPacking.count {
            let number = Varint.read(&address, end)
            last += Int64(clamping: number >> 1)
            guard last >= 0, last < segmentDocuments, index == 0 || number > 1 else { return }
            documents[index] = UInt32(truncatingIfNeeded: last)
            frequencies[index] = 1
            if number & 1 == 1 {
                guard end - address >= 3 else { return }
                frequencies[index] =
                    UInt32(address.loadUnaligned(as: UInt16.self)) | UInt32(address.load(fromByteOffset: 2, as: UInt8.self)) << 16
                address += 3
            }
        }
        end = address
        size = count - block * BitPacking.count
        hasFrequencies = true
        kindCount = 0
    }

    // MARK: Frequencies and positions

    /// The term's frequency in a document of the block.
    @inline(__always) func frequency(_ index: Int) -> TermFrequency {
        if !hasFrequencies { loadFrequencies() }
        return TermFrequency(number: kindCount > 0 ? kinds[Int(frequencies[index])] : frequencies[index])
    }

    /// The distinct frequencies in the block; empty if they are not grouped.
    var frequencyKinds: UnsafeBufferPointer<UInt32> {
        if !hasFrequencies { loadFrequencies() }
        return UnsafeBufferPointer(start: kinds, count: kindCount)
    }

    /// The index of a document's frequency in `frequencyKinds`.
    @inline(__always) func kind(_ index: Int) -> Int { Int(frequencies[index]) }

    @inline(never) private func loadFrequencies() {
        hasFrequencies = true
        kindCount = 0
        let kindCount = Int(postings.blocks.number(offset(of: block) + 1, as: UInt8.self))
        let width = PostingsTable.kindWidth(kindCount)
        let bytes = postings.blocks.part(frequenciesOffset, kindCount * 3 + BitPacking.size(width: width))
        guard kindCount > 0, kindCount <= BitPacking.count, let base = bytes.baseAddress else {
            frequencies.update(repeating: 1, count: BitPacking.count)
            return
        }
        file.check(base, bytes.count)
        for kind in 0..<kindCount {
            kinds[kind] =
                UInt32(bytes.number(kind * 3, as: UInt16.self)) | UInt32(bytes.number(kind * 3 + 2, as: UInt8.self)) << 16
        }
        BitPacking.unpack(base + kindCount * 3, width: width, into: frequencies)
        if kindCount & (kindCount - 1) != 0 {
            for index in 0..<BitPacking.count { frequencies[index] = min(frequencies[index], UInt32(kindCount - 1)) }
        }
        self.kindCount = kindCount
    }

    /// The positions of the term in a document of the block, as `PositionsWriter` wrote them. If documents are
    /// requested in ascending order, the positions between them are skipped together.
    @inline(never) func positions(_ index: Int) -> ByteView {
        if !hasPositions || index < positionsIndex { beginPositions() }
        guard let base = postings.positions.baseAddress, index < size else { return .none }
        let end = base + positionsEnd
        var address = base + positionsStart
        var skipped = 0
        for other in positionsIndex..<index {
            let frequency = frequency(other)
            if frequency.isSized {
                Varint.skip(skipped, &address, end)
                skipped = 0
                let size = Int(clamping: Varint.read(&address, end))
                address += min(size, end - address)
            } else {
                skipped += frequency.positionNumbers
            }
        }
        Varint.skip(skipped, &address, end)
        let frequency = frequency(index)
        let size = frequency.isSized ? Int(clamping: Varint.read(&address, end)) : 0
        let first = address
        if frequency.isSized {
            address += min(size, end - address)
        } else {
            Varint.skip(frequency.positionNumbers, &address, end)
        }
        (positionsIndex, positionsStart) = (index + 1, address - base)
        return ByteView(start: first, count: address - first)
    }

    private func beginPositions() {
        hasPositions = true
        let start = positionsOffset(of: block)
        let end = block + 1 == blocks ? postings.positions.count : positionsOffset(of: block + 1)
        let bytes = postings.positions.part(start, end - start)
        (positionsIndex, positionsStart, positionsEnd) = (0, 0, 0)
        guard let base = bytes.baseAddress else { return }
        file.check(base, bytes.count)
        (positionsStart, positionsEnd) = (start, end)
    }
}

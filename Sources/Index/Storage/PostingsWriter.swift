/// Writes the postings of one term after another; see `SegmentLayout` for their form.
///
/// Positions go to the file at once. What is needed to rank is gathered until the term is complete, about two bytes for
/// each document: its table of blocks comes first.
final class PostingsWriter {
    private let file: FileWriter
    private let weights: FrequencyWeights
    let lengths: UnsafeBufferPointer<UInt16>

    // The block being filled.
    private let documents = UnsafeMutablePointer<UInt32>.allocate(capacity: BitPacking.count)
    private let frequencies = UnsafeMutablePointer<UInt32>.allocate(capacity: BitPacking.count)
    private let steps = UnsafeMutablePointer<UInt32>.allocate(capacity: BitPacking.count)
    private let kinds = UnsafeMutablePointer<UInt32>.allocate(capacity: BitPacking.count)
    private let positions = ByteBuffer()
    private var count = 0
    private var most: Float = 0
    /// The last document of the block before; -1 before the first.
    private var lastDocument: Int64 = -1

    // The term.
    private let blocks = ByteBuffer()
    private let table = PostingsTable.Buffers()
    private var total = 0
    private var positionsSize = 0

    /// - Parameters:
    ///   - weights: by which the most that a term weighs in a block is told.
    ///   - lengths: codes of the lengths of each document's text (lower byte) and title.
    init(_ file: FileWriter, _ weights: FrequencyWeights, _ lengths: UnsafeBufferPointer<UInt16>) {
        self.file = file
        self.weights = weights
        self.lengths = lengths
    }

    deinit { for pointer in [documents, frequencies, steps, kinds] { pointer.deallocate() } }

    /// Adds the term's next document.
    ///
    /// - Parameter positions: where the term stands in it, see `PositionsWriter`.
    @inline(__always) func add(_ document: Int, _ frequency: TermFrequency, positions: UnsafeRawBufferPointer) throws {
        documents[count] = UInt32(truncatingIfNeeded: document)
        frequencies[count] = frequency.number
        if frequency.isSized { self.positions.append(varint: UInt64(positions.count)) }
        self.positions.append(short: positions)
        most = max(most, weights.weigh(frequency, lengths: lengths[document]))
        count += 1
        if count == BitPacking.count { try endBlock() }
    }

    /// Ends the term, and returns what the dictionary says of it.
    func finish() throws -> TermFacts {
        if count > 0 { try endBlock() }
        let start = file.count
        if table.lasts.count > 4 { for buffer in table.all { try file.write(buffer) } }
        try file.write(blocks)
        let facts = TermFacts(documents: total, positionsSize: positionsSize, blocksSize: file.count - start)
        if table.lasts.count > 0 { for buffer in table.all { buffer.removeAll() } }
        blocks.removeAll()
        (total, positionsSize, lastDocument) = (0, 0, -1)
        return facts
    }

    private func endBlock() throws {
        // One block needs no table, and most terms have only one.
        if count == BitPacking.count || total > 0 { addToTable() }
        if count == BitPacking.count { writeFullBlock() } else { writeLastBlock() }
        try file.write(positions)
        positionsSize += positions.count
        total += count
        lastDocument = Int64(documents[count - 1])
        (count, most) = (0, 0)
        positions.removeAll()
    }

    private func addToTable() {
        table.lasts.append(fixed: documents[count - 1])
        table.places.append(fixed: UInt32(truncatingIfNeeded: blocks.count))
        table.positions.append(fixed: UInt32(truncatingIfNeeded: positionsSize))
        table.weights.append(fixed: PostingsTable.code(weight: most))
    }

    private func writeFullBlock() {
        // Distances, less one.
        var last = UInt32(truncatingIfNeeded: lastDocument)
        for index in 0..<BitPacking.count {
            steps[index] = documents[index] &- last &- 1
            last = documents[index]
        }
        let width = BitPacking.width(steps)
        blocks.append(fixed: UInt8(width))
        let kindCount = numberFrequencies()
        blocks.append(fixed: UInt8(kindCount))
        BitPacking.pack(steps, width: width, at: blocks.skip(BitPacking.size(width: width)))
        for index in 0..<kindCount { append(frequency: kinds[index]) }
        let kindWidth = PostingsTable.kindWidth(kindCount)
        BitPacking.pack(frequencies, width: kindWidth, at: blocks.skip(BitPacking.size(width: kindWidth)))
    }

    private func append(frequency: UInt32) {
        blocks.append(fixed: UInt16(truncatingIfNeeded: frequency))
        blocks.append(fixed: UInt8(truncatingIfNeeded: frequency >> 16))
    }

    /// Replaces each frequency by its number among the block's different ones, `kinds`. Returns how many these are.
    private func numberFrequencies() -> Int {
        var count = 0
        var last = (kind: UInt32.max, number: UInt32(0))
        for index in 0..<BitPacking.count {
            let kind = frequencies[index]
            if kind != last.kind {
                var number = 0
                while number < count, kinds[number] != kind { number += 1 }
                if number == count {
                    kinds[count] = kind
                    count += 1
                }
                last = (kind, UInt32(number))
            }
            frequencies[index] = last.number
        }
        return count
    }

    private func writeLastBlock() {
        var last = lastDocument
        for index in 0..<count {
            let step = UInt64(Int64(documents[index]) - last)
            last = Int64(documents[index])
            let frequency = TermFrequency(number: frequencies[index])
            if frequency == .once {
                blocks.append(varint: step << 1)
            } else {
                blocks.append(varint: step << 1 | 1)
                append(frequency: frequency.number)
            }
        }
    }
}

/// What a dictionary says of a term.
struct TermFacts {
    /// Documents that hold it.
    var documents: Int
    /// Bytes of its positions, and of its blocks behind them.
    var positionsSize: Int
    var blocksSize: Int
}

/// The table of a term's blocks, where there are several.
struct PostingsTable {
    static let rowSize = 14

    /// One array after another, each with an entry for each block.
    final class Buffers {
        /// The block's last document.
        let lasts = ByteBuffer()
        /// Where it begins, behind the table, and where its positions do.
        let places = ByteBuffer()
        let positions = ByteBuffer()
        /// The most that the term weighs in it.
        let weights = ByteBuffer()

        let all: [ByteBuffer]

        init() { all = [lasts, places, positions, weights] }
    }

    /// A weight as it is stored, rounded up.
    static func code(weight: Float) -> UInt16 { UInt16(clamping: Int((min(weight, 100_000) * 64).rounded(.up))) }

    @inline(__always) static func weight(code: UInt16) -> Float { code == .max ? .infinity : Float(code) / 64 }

    /// Bits of the number of a frequency, when a block has so many different ones.
    static func kindWidth(_ kinds: Int) -> Int { Int.bitWidth - (max(1, kinds) - 1).leadingZeroBitCount }
}

/// Writes where a term stands in a document: each position as its distance to the one before in the same column. A zero
/// announces another column, in the byte behind it; the first is `Column.text`.
struct PositionsWriter {
    private var column = 0
    /// Behind the last one.
    private var next: UInt32 = 0

    /// They come in order.
    @inline(__always) mutating func add(_ column: Int, _ position: UInt32, to out: ByteBuffer) {
        if column != self.column {
            self.column = column
            next = 0
            out.append(fixed: UInt16(truncatingIfNeeded: column) << 8)
        }
        out.append(varint: UInt64(position &- next &+ 1))
        next = position &+ 1
    }
}

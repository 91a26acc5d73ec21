internal import Memory

/// Writes the postings of one term after another; see `SegmentLayout` for their form.
///
/// Positions go to the file at once. Documents and frequencies, about two bytes for each document, are kept in memory
/// until the term is complete, because its table of blocks precedes them.
struct PostingsWriter: ~Copyable {
    private let file: FileWriter
    private let weights: FrequencyWeights
    let lengths: [UInt16]

    // The block being filled.
    private let documents = UnsafeMutablePointer<UInt32>.allocate(capacity: BitPacking.count)
    private let frequencies = UnsafeMutablePointer<UInt32>.allocate(capacity: BitPacking.count)
    private let steps = UnsafeMutablePointer<UInt32>.allocate(capacity: BitPacking.count)
    private let kinds = UnsafeMutablePointer<UInt32>.allocate(capacity: BitPacking.count)
    private var positions = GrowingBytes()
    private var count = 0
    private var maxWeight: Float = 0
    /// The last document of the block before; -1 before the first.
    private var lastDocument: Int64 = -1

    // The term.
    private var blocks = GrowingBytes.paged()
    private var table = PostingsTable.Buffers()
    private var total = 0
    private var positionsSize = 0

    /// Number of bytes of the term's postings so far.
    var size: Int { positionsSize + blocks.count }

    /// - Parameters:
    ///   - weights: give the most that a term weighs in a block.
    ///   - lengths: codes of the lengths of each document's text (lower byte) and title.
    init(_ file: FileWriter, _ weights: FrequencyWeights, _ lengths: [UInt16]) {
        self.file = file
        self.weights = weights
        self.lengths = lengths
    }

    deinit { for pointer in [documents, frequencies, steps, kinds] { pointer.deallocate() } }

    /// Adds the term's next document.
    ///
    /// - Parameter positions: the term's positions in the document, see `PositionsWriter`.
    @inline(__always) mutating func add(_ document: Int, _ frequency: TermFrequency, positions: ByteView) throws {
        documents[count] = UInt32(truncatingIfNeeded: document)
        frequencies[count] = frequency.number
        if frequency.isSized { self.positions.append(varint: UInt64(positions.count)) }
        self.positions.append(short: positions)
        maxWeight = max(maxWeight, weights.weigh(frequency, lengths: lengths[document]))
        count += 1
        if count == BitPacking.count { try endBlock() }
    }

    /// Ends the term, and returns its facts for the dictionary.
    mutating func finish() throws -> TermFacts {
        if count > 0 { try endBlock() }
        let start = file.count
        if table.lasts.count > 4 { try table.write(to: file) }
        try file.write(blocks)
        let facts = TermFacts(documents: total, positionsSize: positionsSize, blocksSize: file.count - start)
        if table.lasts.count > 0 { table.removeAll() }
        blocks.removeAll()
        (total, positionsSize, lastDocument) = (0, 0, -1)
        return facts
    }

    private mutating func endBlock() throws {
        // A single block needs no table, and most terms have only one.
        if count == BitPacking.count || total > 0 { addToTable() }
        if count == BitPacking.count { writeFullBlock() } else { writeLastBlock() }
        try file.write(positions)
        positionsSize += positions.count
        total += count
        lastDocument = Int64(documents[count - 1])
        (count, maxWeight) = (0, 0)
        positions.removeAll()
    }

    private mutating func addToTable() {
        table.lasts.append(fixed: documents[count - 1])
        table.offsets.append(fixed: UInt32(truncatingIfNeeded: blocks.count))
        table.positions.append(fixed: UInt32(truncatingIfNeeded: positionsSize))
        table.weights.append(fixed: PostingsTable.code(weight: maxWeight))
    }

    private mutating func writeFullBlock() {
        // The steps are distances minus one.
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

    private mutating func append(frequency: UInt32) {
        blocks.append(fixed: UInt16(truncatingIfNeeded: frequency))
        blocks.append(fixed: UInt8(truncatingIfNeeded: frequency >> 16))
    }

    /// Replaces each frequency by its index in `kinds`, the distinct frequencies of the block. Returns the count of
    /// these.
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

    private mutating func writeLastBlock() {
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

/// The dictionary's facts about a term.
struct TermFacts {
    /// The number of documents that contain it.
    var documents: Int
    /// The size in bytes of its positions, and of its table and blocks, which follow them.
    var positionsSize: Int
    var blocksSize: Int
}

/// The table of a term's blocks, if the term has several.
struct PostingsTable {
    static let rowSize = 14

    /// The arrays of the table in their order, each with an entry for each block.
    struct Buffers: ~Copyable {
        /// The block's last document.
        var lasts = GrowingBytes()
        /// The block's offset after the table, and the offset of its positions.
        var offsets = GrowingBytes()
        var positions = GrowingBytes()
        /// The most that the term weighs in the block.
        var weights = GrowingBytes()

        func write(to file: FileWriter) throws {
            try file.write(lasts)
            try file.write(offsets)
            try file.write(positions)
            try file.write(weights)
        }

        mutating func removeAll() {
            lasts.removeAll()
            offsets.removeAll()
            positions.removeAll()
            weights.removeAll()
        }
    }

    /// The stored form of a weight, rounded up.
    static func code(weight: Float) -> UInt16 { UInt16(clamping: Int((min(weight, 100_000) * 64).rounded(.up))) }

    @inline(__always) static func weight(code: UInt16) -> Float { code == .max ? .infinity : Float(code) / 64 }

    /// The bits of an index into `kinds` for a block with this many distinct frequencies.
    static func kindWidth(_ kinds: Int) -> Int { Int.bitWidth - (max(1, kinds) - 1).leadingZeroBitCount }
}

/// Writes a term's positions in a document, each as its distance from the one before in the same column. A zero
/// announces another column, whose number is in the next byte. The first column is `Column.text`.
struct PositionsWriter {
    private var column = 0
    /// The position after the last one.
    private var next: UInt32 = 0

    /// Positions must be added in order.
    @inline(__always) mutating func add(_ column: Int, _ position: UInt32, to out: inout GrowingBytes) {
        if column != self.column {
            self.column = column
            next = 0
            out.append(fixed: UInt16(truncatingIfNeeded: column) << 8)
        }
        out.append(varint: UInt64(position &- next &+ 1))
        next = position &+ 1
    }
}

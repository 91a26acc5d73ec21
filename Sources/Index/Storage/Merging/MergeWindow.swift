/// The postings of a term for a range of the new segment's documents. Each posting is put into its document's slot,
/// whichever source it comes from, so that the sources need not be compared with each other.
final class MergeWindow {
    /// Number of documents in the window; their postings fit into the CPU cache.
    static let size = 1 << 14

    private struct Posting {
        var frequency: TermFrequency
        var positions: ByteView
    }

    private let postings = UnsafeMutablePointer<Posting>.allocate(capacity: size)
    /// A bit for each document with a posting, and a bit for each word of these that is not 0.
    private let bits = UnsafeMutablePointer<UInt64>.allocate(capacity: size / 64)
    private let groups = UnsafeMutablePointer<UInt64>.allocate(capacity: size / 4_096)

    init() {
        bits.initialize(repeating: 0, count: Self.size / 64)
        groups.initialize(repeating: 0, count: Self.size / 4_096)
    }

    deinit {
        postings.deallocate()
        bits.deallocate()
        groups.deallocate()
    }

    /// - Parameter document: its index in the window.
    @inline(__always) func set(_ document: Int, _ frequency: TermFrequency, positions: ByteView) {
        (postings + document).initialize(to: Posting(frequency: frequency, positions: positions))
        bits[document / 64] |= 1 << UInt64(document % 64)
        groups[document / 4_096] |= 1 << UInt64(document / 64 % 64)
    }

    /// Writes the postings in order and empties the window.
    ///
    /// - Parameter first: the document at index 0 of the window.
    func write(from first: Int, to writer: inout PostingsWriter) throws {
        for group in 0..<Self.size / 4_096 {
            while groups[group] != 0 {
                let word = group * 64 + groups[group].trailingZeroBitCount
                groups[group] &= groups[group] - 1
                var remainingBits = bits[word]
                bits[word] = 0
                while remainingBits != 0 {
                    let document = word * 64 + remainingBits.trailingZeroBitCount
                    remainingBits &= remainingBits - 1
                    try writer.add(first + document, postings[document].frequency, positions: postings[document].positions)
                }
            }
        }
    }
}

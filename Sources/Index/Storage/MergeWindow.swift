/// The postings of a term for some documents of the new segment, which neighbour each other: each is put in its document's
/// place, whichever source it comes from, so that none has to be compared with those of the other sources.
final class MergeWindow {
    /// Documents in it: what is kept of them fits a processor's cache.
    static let size = 1 << 14

    private struct Posting {
        var frequency: TermFrequency
        var positions: UnsafeRawBufferPointer
    }

    private let postings = UnsafeMutablePointer<Posting>.allocate(capacity: size)
    /// A bit for each document that has one, and a bit for each 64 of these that are not all 0.
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

    /// - Parameter document: its place in the window.
    @inline(__always) func set(_ document: Int, _ frequency: TermFrequency, positions: UnsafeRawBufferPointer) {
        (postings + document).initialize(to: Posting(frequency: frequency, positions: positions))
        bits[document / 64] |= 1 << UInt64(document % 64)
        groups[document / 4_096] |= 1 << UInt64(document / 64 % 64)
    }

    /// Writes what is in it, in order, and empties it.
    ///
    /// - Parameter first: the document of its first place.
    func write(from first: Int, to writer: PostingsWriter) throws {
        for group in 0..<Self.size / 4_096 {
            while groups[group] != 0 {
                let word = group * 64 + groups[group].trailingZeroBitCount
                groups[group] &= groups[group] - 1
                var rest = bits[word]
                bits[word] = 0
                while rest != 0 {
                    let document = word * 64 + rest.trailingZeroBitCount
                    rest &= rest - 1
                    try writer.add(first + document, postings[document].frequency, positions: postings[document].positions)
                }
            }
        }
    }
}

internal import CTokenizer
internal import Memory

/// Gives each term of the collected texts a number, in order of first appearance.
struct TermTable: ~Copyable {
    private var numbers: HashTable
    /// The offset in `text` at which each term begins (4 bytes each), and the end of the last term.
    private var starts = GrowingBytes.paged()
    private var text = GrowingBytes.paged()

    /// - Parameter count: of terms that are expected.
    init(expecting count: Int = 0) {
        numbers = HashTable(expecting: count)
        starts.append(fixed: UInt32(0))
    }

    var count: Int { starts.count / 4 - 1 }

    subscript(number: Int) -> ByteView { Self.term(number, starts.start, text.start) }

    private static func term(
        _ number: Int, _ starts: UnsafeMutableRawPointer, _ text: UnsafeMutableRawPointer
    ) -> ByteView {
        let entry = starts + number * 4
        let (first, end) = (entry.load(as: UInt32.self), entry.load(fromByteOffset: 4, as: UInt32.self))
        return ByteView(start: text + Int(first), count: Int(end - first))
    }

    /// Returns the number of a term, and adds the term if it is new.
    @inline(__always) mutating func number(of term: ByteView, hash: UInt64) -> UInt32 {
        // Different terms of up to eight bytes have different hashes.
        let number = term.count <= 8 ? numbers.number(of: hash) : number(long: term, hash)
        if number == starts.count / 4 - 1 { add(term) }
        return UInt32(truncatingIfNeeded: number)
    }

    @inline(never) private mutating func number(long term: ByteView, _ hash: UInt64) -> Int {
        let (starts, text) = (starts.start, text.start)
        return numbers.number(of: hash) { ByteView.order(Self.term($0, starts, text), term) == 0 }
    }

    @inline(never) private mutating func add(_ term: ByteView) {
        text.append(term)
        starts.append(fixed: UInt32(truncatingIfNeeded: text.count))
    }

    /// Numbers many terms at once: the table is larger than the processor's cache, and waiting for memory is most of
    /// the work.
    mutating func number(_ tokens: UnsafeBufferPointer<CToken>, into numbers: UnsafeMutablePointer<UInt32>) {
        for token in tokens { self.numbers.prefetch(token.hash) }
        var next = numbers
        for token in tokens {
            next.pointee = number(of: token.key, hash: token.hash)
            next += 1
        }
    }

    static func hash(_ term: ByteView) -> UInt64 {
        CTokenizerHash(term.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: term.count))
    }

    /// Releases what is needed only to add terms.
    mutating func endNumbering() { numbers = HashTable() }

    /// The numbers of all terms, ordered by the bytes of the terms.
    func sorted() -> [UInt32] { Index.sorted(0..<UInt32(count)) { self[Int($0)] } }
}

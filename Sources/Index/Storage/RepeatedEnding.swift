internal import CTokenizer

/// The words of the text before, so that an ending that the next one has as well is not taken apart again: most episodes
/// of a podcast end in the same links and thanks.
struct RepeatedEnding: ~Copyable {
    /// The numbers of its words, and where each begins (4 bytes each).
    private let words = ByteBuffer()
    private var starts = ByteBuffer()
    /// Its compounds, as `SegmentBuffer` has them.
    private let compounds = ByteBuffer()
    /// Where the words of the text being read begin.
    private var newStarts = ByteBuffer()

    /// Less is not worth a look.
    private static let fewBytes = 32

    /// How many bytes at the end of both texts are the same, from behind a blank on: no word depends on what stands before
    /// one.
    ///
    /// - Parameter last: the text before.
    func common(_ text: UnsafeRawBufferPointer, _ last: UnsafeRawBufferPointer) -> Int {
        guard words.count > 0, let end = text.baseAddress, let lastEnd = last.baseAddress else { return 0 }
        let most = min(text.count, last.count)
        var count = 0
        while count + 8 <= most,
            (end + (text.count - count - 8)).loadUnaligned(as: UInt64.self)
                == (lastEnd + (last.count - count - 8)).loadUnaligned(as: UInt64.self)
        {
            count += 8
        }
        guard count > Self.fewBytes, let blank = text[(text.count - count)...].firstIndex(of: UInt8(ascii: " ")) else { return 0 }
        return text.count - blank - 1
    }

    /// Notes where words before the ending begin.
    @inline(__always) mutating func add(_ tokens: UnsafeBufferPointer<CToken>) {
        let places = newStarts.skip(tokens.count * 4).assumingMemoryBound(to: UInt32.self)
        for (index, token) in tokens.enumerated() { places[index] = UInt32(truncatingIfNeeded: token.start) }
    }

    /// Adds the words and compounds of the ending, and keeps all for the next text.
    ///
    /// - Parameters:
    ///   - row: the numbers of the words before the ending.
    ///   - length: of the text; `lastLength` that of the one before.
    ///   - common: bytes of the ending.
    mutating func finish(_ row: ByteBuffer, _ found: ByteBuffer, length: Int, lastLength: Int, common: Int) {
        if common > 0 {
            let (start, shift) = (lastLength - common, length - lastLength)
            let first = (0..<starts.count / 4).partitioningIndex { place(starts, $0) >= start }
            row.append(words.bytes.part(first * 4, words.count - first * 4))
            for word in first..<starts.count / 4 { newStarts.append(fixed: UInt32(place(starts, word) + shift)) }
            for compound in 0..<compounds.count / 8 where place(compounds, compound * 2 + 1) >= start {
                found.append(fixed: UInt32(place(compounds, compound * 2)))
                found.append(fixed: UInt32(place(compounds, compound * 2 + 1) + shift))
            }
        }
        swap(&starts, &newStarts)
        newStarts.removeAll()
        for (kept, new) in [(words, row), (compounds, found)] {
            kept.removeAll()
            kept.append(new.bytes)
        }
    }

    /// Forgets the text.
    func removeAll() { words.removeAll() }

    private func place(_ numbers: ByteBuffer, _ index: Int) -> Int { Int(numbers.bytes.number(index * 4, as: UInt32.self)) }
}

internal import CTokenizer
internal import Memory

/// The words of the previous text, so that an ending shared with the next text is not tokenized again: most episodes of
/// a podcast end with the same links and thanks.
struct RepeatedEnding: ~Copyable {
    /// The numbers of its words, and their offsets (4 bytes each).
    private var words = GrowingBytes()
    private var starts = GrowingBytes()
    /// Its compounds, in the form of `DocumentWords`.
    private var compounds = GrowingBytes()
    /// Offsets of the words of the current text.
    private var newStarts = GrowingBytes()

    /// Number of bytes that a shared ending must exceed to be worth using.
    private static let fewBytes = 32

    /// Length of the ending that both texts share, starting after a blank, since no word depends on what precedes a
    /// blank.
    ///
    /// - Parameter last: the previous text.
    func common(_ text: ByteView, _ last: ByteView) -> Int {
        guard words.count > 0, let end = text.baseAddress, let lastEnd = last.baseAddress else { return 0 }
        let maxCount = min(text.count, last.count)
        var count = 0
        while count + 8 <= maxCount,
            (end + (text.count - count - 8)).loadUnaligned(as: UInt64.self)
                == (lastEnd + (last.count - count - 8)).loadUnaligned(as: UInt64.self)
        {
            count += 8
        }
        guard count > Self.fewBytes, let blank = text[(text.count - count)...].firstIndex(of: UInt8(ascii: " ")) else { return 0 }
        return text.count - blank - 1
    }

    /// Notes the offsets of words before the ending.
    @inline(__always) mutating func add(_ tokens: UnsafeBufferPointer<CToken>) {
        let offsets = newStarts.skip(tokens.count * 4).assumingMemoryBound(to: UInt32.self)
        for (index, token) in tokens.enumerated() { offsets[index] = UInt32(truncatingIfNeeded: token.start) }
    }

    /// Adds the words and compounds of the ending, and stores all of them for the next text.
    ///
    /// - Parameters:
    ///   - row: the numbers of the words before the ending.
    ///   - newCompounds: the compounds before the ending.
    ///   - length: the text's length; `lastLength` is that of the previous text.
    ///   - common: length of the ending.
    mutating func finish(
        _ row: inout GrowingBytes, _ newCompounds: inout GrowingBytes, length: Int, lastLength: Int, common: Int
    ) {
        if common > 0 {
            let (start, shift) = (lastLength - common, length - lastLength)
            let first = (0..<starts.count / 4).partitioningIndex { number(starts, $0) >= start }
            row.append(words.view.part(first * 4, words.count - first * 4))
            for word in first..<starts.count / 4 { newStarts.append(fixed: UInt32(number(starts, word) + shift)) }
            for compound in 0..<compounds.count / 8 where number(compounds, compound * 2 + 1) >= start {
                newCompounds.append(fixed: UInt32(number(compounds, compound * 2)))
                newCompounds.append(fixed: UInt32(number(compounds, compound * 2 + 1) + shift))
            }
        }
        swap(&starts, &newStarts)
        newStarts.removeAll()
        words.removeAll()
        words.append(row.view)
        compounds.removeAll()
        compounds.append(newCompounds.view)
    }

    /// The number of the text's words that are before an offset. Valid after `finish`.
    func words(before offset: Int) -> Int { (0..<starts.count / 4).partitioningIndex { number(starts, $0) >= offset } }

    private func number(_ numbers: borrowing GrowingBytes, _ index: Int) -> Int {
        Int(numbers.view.number(index * 4, as: UInt32.self))
    }
}

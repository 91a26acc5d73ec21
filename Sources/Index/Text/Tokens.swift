internal import CTokenizer

/// One token of the index, and where it stood in the text it was taken from.
struct Token {
    var text: String
    /// UTF-8 offsets.
    var range: Range<Int>
    var kind: CTokenizerKind

    var isWord: Bool { kind == CTokenizerWord }
}

/// The tokens of a text, by the same rules by which documents are indexed.
func tokens(of text: String) -> [Token] {
    var found: [Token] = []
    withEachToken(of: text) { kind, bytes, range in
        found.append(Token(text: String(decoding: bytes, as: UTF8.self), range: range, kind: kind))
    }
    return found
}

/// The tokens of a piece of a query: the text may go on behind it, so the last character of a text without blanks
/// stands only for the pair it ends, unless it is alone. The long vowel that ends a Japanese word of four characters or
/// more is left out, as many writers do: コンピューター and コンピュータ.
///
/// What is longer than anyone types is cut.
func queryTokens(of text: String) -> [Token] {
    var all = Array(tokens(of: text).prefix(64))
    if all.count > 1, let last = all.last, last.kind == CTokenizerSingle,
        all[all.count - 2].kind == CTokenizerPair, all[all.count - 2].range.upperBound == last.range.upperBound
    {
        all.removeLast()
    }
    let isLong = all.count > 2 && all.suffix(3).allSatisfy { $0.kind == CTokenizerPair }
    if isLong, all[all.count - 1].text.hasSuffix("ー") { all.removeLast() }
    return all
}

/// A hash of a title's tokens: titles that differ in case, accents and punctuation have the same.
/// nil for a text without tokens.
func titleHash(_ text: String) -> UInt64? {
    var hash: UInt64 = 14_695_981_039_346_656_037  // FNV-1a
    var isEmpty = true
    withEachToken(of: text) { _, bytes, _ in
        isEmpty = false
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        hash = (hash ^ 32) &* 1_099_511_628_211
    }
    return isEmpty ? nil : max(hash, 1)
}

/// Calls `body` with each token's kind, folded bytes and place.
func withEachToken(
    of text: String, _ body: (CTokenizerKind, UnsafeRawBufferPointer, Range<Int>) -> Void
) {
    var text = text
    withoutActuallyEscaping(body) { body in
        var context = body
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                withUnsafeMutablePointer(to: &context) { context in
                    _ = CTokenizerSplit(characters.baseAddress, Int32(clamping: characters.count), context) {
                        context, kind, token, length, start, end in
                        guard let context, let token else { return 0 }
                        typealias Body = (CTokenizerKind, UnsafeRawBufferPointer, Range<Int>) -> Void
                        context.assumingMemoryBound(to: Body.self).pointee(
                            kind, UnsafeRawBufferPointer(start: token, count: Int(length)), Int(start)..<Int(end))
                        return 0
                    }
                }
            }
        }
    }
}

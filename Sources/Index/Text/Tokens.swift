internal import CTokenizer

/// A token of the index, and its range in the text.
struct Token {
    var text: String
    /// Range of UTF-8 offsets.
    var range: Range<Int>
    var kind: CTokenizerKind
    /// True if it forms one word with the previous token, as in `wi-fi`; see `isOneWord`.
    var isJoined = false

    var isWord: Bool { kind == CTokenizerWord }
}

/// The tokens of a text, by the same rules by which documents are indexed.
func tokens(of text: String) -> [Token] {
    let all = TextTokens(text)
    return all.indices.map { index in
        let (token, text) = (all[index], String(decoding: all.bytes(index), as: UTF8.self))
        return Token(text: text, range: token.range, kind: token.kind, isJoined: token.isJoined)
    }
}

/// The tokens of a part of a query. The matching text may continue after it, so the last character of a text without
/// blanks counts only in the pair that it ends, unless it is alone. The long vowel at the end of a Japanese word of at
/// least four characters is omitted, as many writers do: コンピューター and コンピュータ.
///
/// Parts longer than anybody types are truncated.
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

/// A hash of a title's tokens. Titles that differ only in case, accents and punctuation have the same hash.
struct TitleHash {
    private var hash: UInt64 = 14_695_981_039_346_656_037  // FNV-1a, of the tokens' hashes
    private var isEmpty = true

    init() {}

    init(_ title: String) { Tokenizer().eachToken(of: title) { add($0) } }

    @inline(__always) mutating func add(_ token: CToken) {
        isEmpty = false
        hash = (hash ^ token.hash) &* 1_099_511_628_211
        hash ^= hash >> 32
    }

    /// nil for a title without tokens.
    var value: UInt64? { isEmpty ? nil : max(hash, 1) }
}

/// Splits texts into tokens, one text after another.
final class Tokenizer {
    /// nil if memory is short; no tokens are found then.
    private let state = CTokenizerCreate()

    deinit { CTokenizerFree(state) }

    /// Calls `body` with batches of a text's tokens, which are valid until it returns.
    @inline(__always) func withTokens(of text: ByteView, _ body: (UnsafeBufferPointer<CToken>) -> Void) {
        guard let state else { return }
        var count: Int32 = 0
        CTokenizerBegin(state, text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: text.count))
        while let tokens = CTokenizerNext(state, &count), count > 0 {
            body(UnsafeBufferPointer(start: tokens, count: Int(count)))
        }
    }

    func eachToken(of text: String, _ body: (CToken) -> Void) {
        text.withBytes { bytes in
            withTokens(of: bytes) { tokens in
                for token in tokens { body(token) }
            }
        }
    }
}

extension CToken {
    /// The token's bytes in the form of the dictionary.
    @inline(__always) var key: ByteView { ByteView(start: bytes, count: Int(length)) }

    @inline(__always) var isWord: Bool { kind == CTokenizerWord }
}

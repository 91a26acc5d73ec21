internal import CTokenizer

/// A term as a key of the dictionary: a word as it is, anything else preceded by a mark that distinguishes it from
/// words.
struct TermKey: Hashable, Comparable {
    let bytes: [UInt8]

    private static let pairMark = UInt8(CTokenizerMark)
    private static let facetMark: UInt8 = 2

    init(word: String) { bytes = Array(word.utf8) }
    /// Two adjacent characters of a text without blanks, or the last one.
    init(pair: String) { bytes = [Self.pairMark] + pair.utf8 }
    /// A fact about the episode.
    init(facet: String) { bytes = [Self.facetMark] + facet.utf8 }
    /// The key of a token of a text.
    init(_ token: Token) { self = token.isWord ? TermKey(word: token.text) : TermKey(pair: token.text) }

    init(_ token: CToken) { bytes = Array(token.key) }

    /// The text without the mark of a pair.
    var word: String { String(decoding: bytes.first == Self.pairMark ? bytes[1...] : bytes[...], as: UTF8.self) }

    func withBytes<T>(_ body: (ByteView) -> T) -> T { bytes.withBytes(body) }

    static func < (a: TermKey, b: TermKey) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

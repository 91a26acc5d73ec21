internal import CTokenizer
internal import Memory

/// The tokens of a text as bytes. Making strings of all of them would take longer than finding the few that are wanted.
struct TextTokens: ~Copyable {
    struct Place {
        /// Range in `keys`.
        fileprivate var key: Range<Int>
        /// Range of UTF-8 offsets in the text.
        var range: Range<Int>
        var kind: CTokenizerKind
        /// See `Token`.
        var isJoined: Bool
    }

    /// The tokens' bytes, one after another.
    private var keys: GrowingBytes
    private var places: [Place] = []

    init(_ text: String) {
        keys = GrowingBytes(capacity: text.utf8.count + 16)
        places.reserveCapacity(text.utf8.count / 6)
        Tokenizer().eachToken(of: text) { token in
            let bytes = token.isWord ? token.key : ByteView(token.key[1...])
            var isJoined = false
            if token.joint != CTokenizerApart, let last = places.last?.key {
                isJoined = isOneWord(keys.view.part(last.lowerBound, last.count), token.key, token.joint)
            }
            let start = keys.count
            keys.append(bytes)
            let range = Int(token.start)..<Int(token.end)
            places.append(Place(key: start..<keys.count, range: range, kind: token.kind, isJoined: isJoined))
        }
    }

    var count: Int { places.count }
    var indices: Range<Int> { places.indices }

    subscript(index: Int) -> Place { places[index] }

    /// Valid as long as these tokens.
    @inline(__always) func bytes(_ index: Int) -> ByteView {
        keys.view.part(places[index].key.lowerBound, places[index].key.count)
    }

    @inline(__always) func has(_ word: [UInt8], at index: Int) -> Bool {
        places[index].key.count == word.count && has(prefix: word, at: index)
    }

    @inline(__always) func has(prefix: [UInt8], at index: Int) -> Bool {
        places[index].key.count >= prefix.count && bytes(index).starts(with: prefix)
    }
}

internal import Memory

/// The forms of words in a segment: short texts in the order of their bytes, each once.
///
/// ```
/// f LL stem 0 word     in documents of language LL, `word` has this stem
/// p LL stem 0 word     `word` has this stem without its accents, and another one with them
/// v LL word 0 stem     the one that it has with them
/// w word 0 spelling    `word` is mostly spelled like this
/// ```
/// Words and stems are folded, spellings are in lower case. A word that is its own stem is omitted, since a search
/// looks for the stem anyway.
///
/// In the section `forms` the texts are divided into blocks of 32. It contains the number of blocks (4 bytes); for each the
/// first 16 bytes of its first text, by which it is found (see `TermDictionary.Beginning`), and its offset (4); then for
/// each text the number of bytes that it shares with the previous one (0 at the beginning of a block), the number of its
/// other bytes (1 byte each), and these bytes. A merge takes over the texts of all its segments, so forms remain of words
/// that no document contains any more; they match nothing.
enum WordFormList {
    static let textsPerBlock = 32
    /// Bytes that stand before the rows of the blocks.
    static let headSize = 4
    /// Bytes of a block's row: its beginning and its offset.
    static let rowSize = TermDictionary.topSize + 4

    /// The beginning of the texts that list the forms with a stem.
    ///
    /// - Parameter isPlain: true for words that have the stem without their accents.
    static func forms(of stem: some Collection<UInt8>, in language: Language, isPlain: Bool = false) -> [UInt8] {
        [UInt8(ascii: isPlain ? "p" : "f"), language.bytes.0, language.bytes.1] + stem + [0]
    }

    /// The beginning of the texts that list the stems of a word's accented spellings.
    static func variants(of word: some Collection<UInt8>, in language: Language) -> [UInt8] {
        [UInt8(ascii: "v"), language.bytes.0, language.bytes.1] + word + [0]
    }

    /// The beginning of the texts that list the spellings of a word.
    static func spellings(of word: some Collection<UInt8>) -> [UInt8] { [UInt8(ascii: "w")] + word + [0] }

    /// Appends the text that lists a spelling of a word: its size is theirs and two bytes.
    static func appendSpelling(_ spelling: ByteView, of word: ByteView, to texts: inout GrowingBytes) {
        texts.append(UInt8(ascii: "w"))
        texts.append(word)
        texts.append(UInt8(0))
        texts.append(spelling)
    }
}

/// Writes the section `forms`.
struct WordFormWriter: ~Copyable {
    private var rows = GrowingBytes.paged()
    private var texts = GrowingBytes.paged()
    private var last = GrowingBytes()
    private var count = 0

    /// Adds a text. Texts must come in the order of their bytes; repeated ones are ignored.
    mutating func add(_ text: ByteView) {
        guard text.count < 256, count == 0 || ByteView.order(text, last.view) != 0 else { return }
        var shared = 0
        if count % WordFormList.textsPerBlock == 0 {
            TermDictionary.Beginning(text).append(to: &rows)
            rows.append(fixed: UInt32(truncatingIfNeeded: texts.count))
        } else {
            let last = last.view
            while shared < min(text.count, last.count), text[shared] == last[shared] { shared += 1 }
        }
        texts.append(fixed: UInt8(shared))
        texts.append(fixed: UInt8(text.count - shared))
        texts.append(text.part(shared, text.count - shared))
        last.removeAll()
        last.append(text)
        count += 1
    }

    /// The complete section; empty if there are no texts.
    var section: GrowingBytes {
        var section = GrowingBytes.paged(WordFormList.headSize + rows.count + texts.count)
        guard count > 0 else { return section }
        section.append(fixed: UInt32(truncatingIfNeeded: rows.count / WordFormList.rowSize))
        section.append(rows.view)
        section.append(texts.view)
        return section
    }

    /// Merges the texts of several segments.
    ///
    /// - Parameter forget: called now and then, to release the memory of what was read.
    static func merging(_ segments: [Segment], forget: () -> Void) -> WordFormWriter {
        var writer = WordFormWriter()
        let walks = segments.map { WordFormWalk($0) }
        var read = 0
        while let first = walks.indices.filter({ !walks[$0].isAtEnd }).min(by: {
            ByteView.precedes(walks[$0].text, walks[$1].text)
        }) {
            if read % textsPerRelease == 0 { forget() }
            writer.add(walks[first].text)
            walks[first].advance()
            read += 1
        }
        return writer
    }

    private static let textsPerRelease = 16 << 10
}

/// Enumerates the texts of a segment in order, from any of them on.
final class WordFormWalk {
    private let segment: Segment
    private let texts: ByteView
    private let blocks: Int
    /// Not checked: each access ends before another begins.
    @exclusivity(unchecked) private var current = GrowingBytes(capacity: 128)
    private var offset = 0
    private var block = 0
    private var next = 0
    private(set) var isAtEnd = false

    /// Begins at the first text that does not sort before `start`.
    init(_ segment: Segment, from start: ByteView = .none) {
        self.segment = segment
        blocks = Int(segment.number(.forms, 0, as: UInt32.self))
        let section = segment[.forms]
        let head = WordFormList.headSize + blocks * WordFormList.rowSize
        texts = section.part(head, section.count - head)
        // The last block that begins before `start`, even if the next one begins with the same 16 bytes.
        let wanted = TermDictionary.Beginning(start)
        let following = (0..<blocks).partitioningIndex {
            let row = segment.part(.forms, Self.row($0), TermDictionary.topSize)
            return TermDictionary.Beginning(row, at: 0).order(wanted) >= 0
        }
        begin(block: max(0, following - 1))
        while !isAtEnd, ByteView.precedes(text, start) { advance() }
    }

    /// Valid until the next call of `advance`.
    var text: ByteView { current.view }

    func advance() {
        if next == WordFormList.textsPerBlock {
            begin(block: block + 1)
        } else {
            read()
        }
    }

    private static func row(_ block: Int) -> Int { WordFormList.headSize + block * WordFormList.rowSize }

    private func begin(block: Int) {
        self.block = block
        let offset = segment.number(.forms, Self.row(block) + TermDictionary.topSize, as: UInt32.self)
        (self.offset, next) = (Int(offset), 0)
        current.removeAll()
        if block < blocks { read() } else { isAtEnd = true }
    }

    private func read() {
        guard offset + 2 <= texts.count, let base = texts.baseAddress else {
            isAtEnd = true
            return
        }
        segment.file.check(base + offset, 2)
        let (shared, added) = (Int(texts[offset]), Int(texts[offset + 1]))
        let bytes = texts.part(offset + 2, added)
        if let start = bytes.baseAddress { segment.file.check(start, added) }
        current.cut(to: shared)
        current.append(bytes)
        offset += 2 + added
        next += 1
    }
}

extension Segment {
    /// Calls `body` with the remainder of each text that begins with `beginning`.
    func eachForm(_ beginning: [UInt8], _ body: (ByteView) -> Void) {
        guard !self[.forms].isEmpty else { return }
        beginning.withBytes { beginning in
            let walk = WordFormWalk(self, from: beginning)
            while !walk.isAtEnd, walk.text.count >= beginning.count,
                ByteView.order(walk.text.part(0, beginning.count), beginning) == 0
            {
                body(walk.text.part(beginning.count, walk.text.count - beginning.count))
                walk.advance()
            }
        }
    }
}

internal import Memory

/// A set of a segment's documents, one bit each; mostly empty.
struct DocumentSet {
    private(set) var words: [UInt64] = []
    private(set) var count = 0

    @inline(__always) func contains(_ document: Int) -> Bool {
        document >> 6 < words.count && words[document >> 6] & 1 << UInt64(document & 63) != 0
    }

    mutating func insert(_ document: Int) { insert(1 << UInt64(document & 63), at: document >> 6) }

    mutating func formUnion(_ other: DocumentSet) {
        // Mostly a single segment has deletions of another one.
        guard count > 0 else { return self = other }
        for index in other.words.indices { insert(other.words[index], at: index) }
    }

    /// Adds the documents whose bits are set in a word.
    mutating func insert(_ word: UInt64, at index: Int) {
        if index >= words.count { words += [UInt64](repeating: 0, count: index + 1 - words.count) }
        count += (word & ~words[index]).nonzeroBitCount
        words[index] |= word
    }
}

/// The deleted documents of older segments, as the section `deletions` of a segment stores them.
///
/// ```
/// chunk: number of the older segment, number of the chunk, number of its deleted documents (4 bytes each), then
///        the lower two bytes of each document if these are few, else a bitmap
/// ```
/// A chunk has 65,536 documents. A few deletions take a few bytes, and many are read a word at a time.
struct Deletions {
    private(set) var sets: [Int: DocumentSet] = [:]

    private static let chunkSize = 1 << 16
    private static let chunkWords = chunkSize / 64
    private static let bitmapSize = chunkSize / 8
    /// Most documents of which a list is smaller than a bitmap.
    private static let maxListed = bitmapSize / 2

    var isEmpty: Bool { sets.isEmpty }

    init() {}

    mutating func insert(_ document: Int, of segment: Int) { sets[segment, default: DocumentSet()].insert(document) }

    mutating func formUnion(_ other: Deletions) {
        for (segment, documents) in other.sets { sets[segment, default: DocumentSet()].formUnion(documents) }
    }

    /// Reads a section, which may be damaged.
    ///
    /// - Parameter documents: the number of documents of a segment; 0 for one whose deletions are not wanted.
    init(_ bytes: ByteView, documents: (_ segment: Int) -> Int) {
        var offset = 0
        while offset < bytes.count {
            let segment = Int(bytes.number(offset, as: UInt32.self))
            let first = Int(bytes.number(offset + 4, as: UInt32.self)) * Self.chunkSize
            let count = Int(bytes.number(offset + 8, as: UInt32.self))
            offset += 12
            let size = count > Self.maxListed ? Self.bitmapSize : count * 2
            defer { offset += size }
            let end = documents(segment)
            guard first < end else { continue }
            var set = sets.removeValue(forKey: segment) ?? DocumentSet()
            defer { sets[segment] = set }
            if count > Self.maxListed {
                for word in first / 64..<min(first / 64 + Self.chunkWords, (end + 63) / 64) {
                    let isLast = word == end / 64
                    let bits = bytes.number(offset + (word - first / 64) * 8, as: UInt64.self)
                    set.insert(isLast ? bits & (1 << UInt64(end & 63) - 1) : bits, at: word)
                }
            } else {
                for index in 0..<count {
                    let document = first + Int(bytes.number(offset + index * 2, as: UInt16.self))
                    if document < end { set.insert(document) }
                }
            }
        }
    }

    func write(to file: FileWriter) throws {
        for (segment, documents) in sets.sorted(by: { $0.key < $1.key }) {
            for first in stride(from: 0, to: documents.words.count, by: Self.chunkWords) {
                let words = documents.words[first..<min(first + Self.chunkWords, documents.words.count)]
                let count = words.reduce(0) { $0 + $1.nonzeroBitCount }
                guard count > 0 else { continue }
                try file.write(fixed: UInt32(segment))
                try file.write(fixed: UInt32(first / Self.chunkWords))
                try file.write(fixed: UInt32(count))
                if count > Self.maxListed {
                    for word in words { try file.write(fixed: word) }
                    for _ in words.count..<Self.chunkWords { try file.write(fixed: UInt64(0)) }
                    continue
                }
                for (index, word) in words.enumerated() {
                    var bits = word
                    while bits != 0 {
                        try file.write(fixed: UInt16(index * 64 + bits.trailingZeroBitCount))
                        bits &= bits - 1
                    }
                }
            }
        }
    }
}

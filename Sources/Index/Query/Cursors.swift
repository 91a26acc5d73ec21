/// Goes through the documents of a segment that match something, in their order.
class Cursor {
    /// `Int.max` at the end.
    fileprivate(set) final var document = Int.max

    /// Goes to the first match that is not before `target`.
    func advance(to target: Int) {}
}

/// A cursor over a piece of text: it knows where in a document the text stands.
class TextCursor: Cursor {
    /// Adds the places in the current document to `found`, in order.
    func read(into found: OccurrenceList) {}
}

/// One term.
final class TermCursor: TextCursor {
    private var reader: PostingsReader
    /// The only column that counts; nil: any.
    private let column: Column?
    private let found = OccurrenceList()
    private let file: CheckedFile
    /// Everything that was read up to here has been checked.
    private var checked: UnsafeRawPointer

    init(_ postings: Postings, in segment: Segment, column: Column?) {
        reader = PostingsReader(postings, documents: segment.documents)
        self.column = column
        (file, checked) = (segment.file, reader.landing)
        super.init()
        if let start = reader.skips.baseAddress { file.check(start, reader.skips.count) }
        settle()
    }

    override func advance(to target: Int) {
        guard document < target else { return }
        reader.advance(to: target)
        settle()
    }

    private func settle() {
        if let column {
            while reader.document != .max {
                found.removeAll()
                readOn(into: found)
                found.keep(column: column)
                if found.count > 0 { break }
                reader.advance()
            }
        }
        document = reader.document
        if reader.place > checked { check(to: reader.place) }
    }

    override func read(into found: OccurrenceList) {
        if column == nil { readOn(into: found) } else { found.append(self.found) }
    }

    @inline(__always) private func readOn(into found: OccurrenceList) {
        let end = reader.read(into: found)
        if end > checked { check(to: end) }
    }

    /// Checks what was read since the last time, to the end of a block.
    @inline(never) private func check(to place: UnsafeRawPointer) {
        checked = file.check(from: max(checked, reader.landing), to: place)
    }
}

/// Any of several terms, of thousands even: `pod*`.
final class AnyTermCursor: TextCursor {
    /// A heap: the cursor with the first document is the first.
    private var heap: [TermCursor]

    init(_ cursors: [TermCursor]) {
        heap = cursors.sorted { $0.document < $1.document }
        super.init()
        document = heap.first?.document ?? .max
    }

    override func advance(to target: Int) {
        while let first = heap.first, first.document < target {
            first.advance(to: target)
            settle()
        }
        document = heap.first?.document ?? .max
    }

    /// Moves the first cursor to its place.
    private func settle() {
        var place = 0
        while true {
            let (left, right) = (2 * place + 1, 2 * place + 2)
            guard left < heap.count else { return }
            let least = right < heap.count && heap[right].document < heap[left].document ? right : left
            guard heap[least].document < heap[place].document else { return }
            heap.swapAt(place, least)
            place = least
        }
    }

    override func read(into found: OccurrenceList) {
        read(0, into: found)
        found.sort()
    }

    /// Those at the current document stand at the top of the heap.
    private func read(_ place: Int, into found: OccurrenceList) {
        guard place < heap.count, heap[place].document == document else { return }
        heap[place].read(into: found)
        read(2 * place + 1, into: found)
        read(2 * place + 2, into: found)
    }
}

/// What a search has cost until now.
final class Effort {
    /// Documents with all words of a phrase, in which it was looked for.
    var places = 0
}

/// Words side by side.
final class PhraseCursor: TextCursor {
    private let effort: Effort
    private let words: [TextCursor]
    private let together: AllCursor
    private let found = OccurrenceList()
    private let next = OccurrenceList()

    init(_ words: [TextCursor], _ effort: Effort) {
        self.words = words
        self.effort = effort
        together = AllCursor(words)
        super.init()
        settle()
    }

    override func advance(to target: Int) {
        guard document < target else { return }
        together.advance(to: target)
        settle()
    }

    private func settle() {
        while together.document != .max, !findPlaces() { together.advance(to: together.document + 1) }
        document = together.document
    }

    /// Fills `found` with the places of the first word behind which the others stand.
    private func findPlaces() -> Bool {
        effort.places += 1
        found.removeAll()
        words[0].read(into: found)
        for distance in 1..<words.count {
            next.removeAll()
            words[distance].read(into: next)
            found.keep(distance, before: next)
            if found.count == 0 { return false }
        }
        return true
    }

    override func read(into found: OccurrenceList) { found.append(self.found) }
}

/// Documents that all of several cursors match.
final class AllCursor: Cursor {
    private let parts: [Cursor]

    init(_ parts: [Cursor]) {
        self.parts = parts
        super.init()
        settle(0)
    }

    override func advance(to target: Int) {
        if document < target { settle(target) }
    }

    private func settle(_ target: Int) {
        var target = target
        var agreeing = 0
        while agreeing < parts.count {
            for part in parts {
                part.advance(to: target)
                if part.document == target {
                    agreeing += 1
                } else {
                    target = part.document
                    agreeing = 1
                }
                if target == .max || agreeing >= parts.count { break }
            }
            if target == .max { break }
        }
        document = target
    }
}

/// Documents that any of a few cursors matches.
final class AnyCursor: Cursor {
    private let parts: [Cursor]

    init(_ parts: [Cursor]) {
        self.parts = parts
        super.init()
        advance(to: 0)
    }

    override func advance(to target: Int) {
        var first = Int.max
        for part in parts {
            part.advance(to: target)
            first = min(first, part.document)
        }
        document = first
    }
}

/// Documents that one cursor matches and another does not.
final class WithoutCursor: Cursor {
    private let wanted: Cursor
    private let unwanted: Cursor

    init(_ wanted: Cursor, _ unwanted: Cursor) {
        self.wanted = wanted
        self.unwanted = unwanted
        super.init()
        settle()
    }

    override func advance(to target: Int) {
        guard document < target else { return }
        wanted.advance(to: target)
        settle()
    }

    private func settle() {
        while wanted.document != .max {
            unwanted.advance(to: wanted.document)
            if unwanted.document != wanted.document { break }
            wanted.advance(to: wanted.document + 1)
        }
        document = wanted.document
    }
}

/// The documents of a list.
final class ListCursor: Cursor {
    private let list: [Int]
    private var next = 0

    init(_ list: [Int]) {
        self.list = list.sorted()
        super.init()
        advance(to: 0)
    }

    override func advance(to target: Int) {
        while next < list.count, list[next] < target { next += 1 }
        document = next < list.count ? list[next] : .max
    }
}

/// The documents that pass a filter.
final class FilterCursor: Cursor {
    private let filter: DocumentFilter
    private let segment: Segment
    private let range: Range<Int>

    init(_ filter: DocumentFilter, _ segment: Segment) {
        self.filter = filter
        self.segment = segment
        range = filter.documents(of: segment)
        super.init()
        advance(to: range.lowerBound)
    }

    override func advance(to target: Int) {
        var next = max(target, range.lowerBound)
        while next < range.upperBound, !filter.passes(segment.facts(next)) { next += 1 }
        document = next < range.upperBound ? next : .max
    }
}

/// All documents of a segment.
final class EveryCursor: Cursor {
    private let count: Int

    init(_ segment: Segment) {
        count = segment.documents
        super.init()
        advance(to: 0)
    }

    override func advance(to target: Int) { document = target < count ? target : .max }
}

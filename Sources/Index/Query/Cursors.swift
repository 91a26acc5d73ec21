/// Goes through the matching documents of a segment in their order.
class Cursor {
    /// -1 before the first `advance`, `Int.max` at the end.
    final var document = -1

    /// Advances to the first match that is not before `target`.
    func advance(to target: Int) { document = .max }

    /// Roughly, the number of documents that match.
    var cost: Int { 0 }
}

/// Calls objects that are retained elsewhere, without counting references: the counting is half of the work in calls
/// for every document.
struct Calls<Object: AnyObject> {
    private let objects: [Unmanaged<Object>]

    init(_ objects: [Object]) { self.objects = objects.map { Unmanaged.passUnretained($0) } }

    var count: Int { objects.count }

    @inline(__always) func callAsFunction<Result>(_ index: Int, _ body: (Object) -> Result) -> Result {
        objects[index]._withUnsafeGuaranteedRef(body)
    }
}

/// Documents that all cursors match.
final class AllCursor: Cursor {
    /// The rarest cursor first: it leads.
    private let parts: [Cursor]
    private let calls: Calls<Cursor>

    init(_ parts: [Cursor]) {
        self.parts = parts.sorted { $0.cost < $1.cost }
        calls = Calls(self.parts)
    }

    override var cost: Int { parts.first?.cost ?? 0 }

    override func advance(to target: Int) {
        guard document < target else { return }
        var target = target
        var agreeing = 0
        while agreeing < calls.count {
            for index in 0..<calls.count {
                let reached = calls(index) { part in
                    if part.document < target { part.advance(to: target) }
                    return part.document
                }
                if reached == target {
                    agreeing += 1
                } else {
                    target = reached
                    // The rarest cursor advances first. Then each of them is counted again.
                    agreeing = index == 0 ? 1 : 0
                    if index > 0 { break }
                }
                if target == .max || agreeing >= calls.count { break }
            }
            if target == .max { break }
        }
        document = target
    }
}

/// Documents that any cursor matches.
final class AnyCursor: Cursor {
    private let parts: [Cursor]

    init(_ parts: [Cursor]) { self.parts = parts }

    override var cost: Int { parts.reduce(0) { $0 + $1.cost } }

    override func advance(to target: Int) {
        guard document < target else { return }
        var first = Int.max
        for part in parts {
            if part.document < target { part.advance(to: target) }
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
    }

    override var cost: Int { wanted.cost }

    override func advance(to target: Int) {
        guard document < target else { return }
        wanted.advance(to: target)
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

    init(_ list: [Int]) { self.list = list.sorted() }

    override var cost: Int { list.count }

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
    }

    override var cost: Int { range.count }

    override func advance(to target: Int) {
        var next = max(target, range.lowerBound)
        while next < range.upperBound, !filter.passes(segment.facts(next)) { next += 1 }
        document = next < range.upperBound ? next : .max
    }
}

/// All documents of a segment.
final class EveryCursor: Cursor {
    private let count: Int

    init(_ segment: Segment) { count = segment.documents }

    override var cost: Int { count }

    override func advance(to target: Int) { document = target < count ? target : .max }
}

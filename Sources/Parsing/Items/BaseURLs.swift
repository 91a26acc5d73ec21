internal import Addresses
internal import Domain

/// The base URLs that apply at a point in a document: its own, and those of `xml:base`.
struct BaseURLs {
    private let document: String?
    /// Those of open elements, outermost first.
    private var opened: [(depth: Int, url: String)] = []

    init(document: String?) { self.document = document }

    func resolve(_ url: String) -> String { URLReference.resolve(url, against: opened.last?.url ?? document) }

    mutating func open(_ base: String, depth: Int) { opened.append((depth, resolve(base))) }

    /// Removes those of elements that have ended.
    mutating func close(below depth: Int) {
        while let last = opened.last, last.depth > depth { opened.removeLast() }
    }
}

/// The change of tags that `jimmy tag +a -b` makes.
public struct TagEdit: Equatable, Sendable {
    public private(set) var added: Set<Tag> = []
    public private(set) var removed: Set<Tag> = []

    public init(adding added: Set<Tag> = [], removing removed: Set<Tag> = []) {
        self.added = added
        self.removed = removed.subtracting(added)
    }

    public enum Failure: Error, Equatable, Sendable {
        /// Not a tag.
        case invalid(String)
        /// `downloaded` is set by jimmy alone.
        case reserved(Tag)
    }

    /// - Parameter words: such as `+starred` and `-new`. If a tag is named twice, the later word counts.
    public init(_ words: [String]) throws(Failure) {
        for word in words {
            guard word.hasPrefix("+") || word.hasPrefix("-"), let tag = Tag(word.dropFirst()) else { throw .invalid(word) }
            guard tag != .downloaded else { throw .reserved(tag) }
            if word.hasPrefix("+") {
                added.insert(tag)
                removed.remove(tag)
            } else {
                removed.insert(tag)
                added.remove(tag)
            }
        }
    }

    public var isEmpty: Bool { added.isEmpty && removed.isEmpty }

    /// An episode that was played or archived is no longer new, unless `+new` says so.
    public func applied(to tags: Set<Tag>) -> Set<Tag> {
        var result = tags.subtracting(removed).union(added)
        if !added.isDisjoint(with: [.played, .archived]), !added.contains(.new) { result.remove(.new) }
        return result
    }
}

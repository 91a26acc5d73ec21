extension Sequence {
    /// The elements whose key does not stand earlier, in their order.
    public func uniqued<Key: Hashable>(by key: (Element) throws -> Key) rethrows -> [Element] {
        var seen: Set<Key> = []
        return try filter { seen.insert(try key($0)).inserted }
    }
}

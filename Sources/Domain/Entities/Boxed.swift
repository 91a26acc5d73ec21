/// A value kept apart from the struct it belongs to, which is small then: copies share it until one of them changes.
///
/// Lists of all podcasts are made and sorted often, and most of what a podcast holds is the same in all of them.
struct Boxed<Value: Sendable>: Sendable {
    /// Unchecked, because the compiler cannot see that `value` is only written in `_modify`, which makes sure first that
    /// no other box, and so no other thread, holds it.
    private final class Storage: @unchecked Sendable {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    init(_ value: Value) { storage = Storage(value) }

    var value: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}

extension Boxed: Equatable where Value: Equatable {
    static func == (one: Boxed, other: Boxed) -> Bool { one.storage === other.storage || one.value == other.value }
}

extension Boxed: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Boxed: CustomStringConvertible {
    /// What it holds; otherwise two boxes with different values would read the same.
    var description: String { String(describing: value) }
}

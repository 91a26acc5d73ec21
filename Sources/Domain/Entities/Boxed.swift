/// A copy-on-write box that keeps the struct it belongs to small: copies share the value until one of them changes.
///
/// Podcasts are copied and sorted often, and most of their values are equal.
package struct Boxed<Value: Sendable>: Sendable {
    /// Unchecked because the compiler cannot see that `value` is only written in `_modify`, after ensuring that no other
    /// box, and hence no other thread, refers to it.
    private final class Storage: @unchecked Sendable {
        /// Not checked again: it is accessed only as a part of the box, a value, whose accesses the compiler checks.
        @exclusivity(unchecked) var value: Value
        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    package init(_ value: Value) { storage = Storage(value) }

    package var value: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}

extension Boxed: Equatable where Value: Equatable {
    package static func == (one: Boxed, other: Boxed) -> Bool { one.storage === other.storage || one.value == other.value }
}

extension Boxed: CustomStringConvertible {
    /// Prints the value; by default, boxes with different values would print alike.
    package var description: String { String(describing: value) }
}

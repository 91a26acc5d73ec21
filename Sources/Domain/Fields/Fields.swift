/// A value whose parts have names: the names of `jimmy parse`.
///
/// One `visit` per entity is the only list of its fields. What is printed, what is stored, what is
/// hashed and which fields an update changed are all derived from it.
public protocol Fields {
    func visit<V: FieldVisitor>(_ visitor: inout V)
}

/// Receives the fields of a value in their fixed order.
///
/// Absent values, empty strings and empty lists are passed as they are; leaving them out is the
/// visitor's part.
public protocol FieldVisitor {
    mutating func text(_ name: StaticString, _ value: String?)
    /// UTF-8.
    mutating func text(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>)
    mutating func texts(_ name: StaticString, _ values: [String])
    mutating func integer(_ name: StaticString, _ value: Int?)
    mutating func integers(_ name: StaticString, _ values: [Int])
    /// A number that may have a fraction: seconds, shares, episode numbers.
    mutating func number(_ name: StaticString, _ value: Double?)
    mutating func flag(_ name: StaticString, _ value: Bool?)
    mutating func time(_ name: StaticString, _ value: Timestamp?)
    mutating func object<F: Fields>(_ name: StaticString, _ value: F?)
    mutating func objects<F: Fields>(_ name: StaticString, _ values: [F])
    /// Lists of texts in a list: iTunes categories, parent before child.
    mutating func paths(_ name: StaticString, _ values: [[String]])
}

/// A value with named fields: the keys of `jimmy parse`.
///
/// Rows and other results are only printed and have `visit` alone; what is stored has a `list` (`ReadableFields`).
public protocol Fields {
    func visit<V: FieldVisitor>(_ visitor: inout V)
}

/// Receives the fields of a value in a fixed order.
///
/// Absent values, empty strings and empty lists are passed too; the visitor decides whether to omit them.
public protocol FieldVisitor: FieldList {
    mutating func text(_ name: StaticString, _ value: String?)
    /// UTF-8.
    mutating func text(_ name: StaticString, _ value: Span<UInt8>)
    mutating func texts(_ name: StaticString, _ values: [String])
    mutating func integer(_ name: StaticString, _ value: Int?)
    mutating func integers(_ name: StaticString, _ values: [Int])
    /// A number that may have a fraction, such as seconds, shares or episode numbers.
    mutating func number(_ name: StaticString, _ value: Double?)
    mutating func flag(_ name: StaticString, _ value: Bool?)
    mutating func time(_ name: StaticString, _ value: Timestamp?)
    mutating func object<F: Fields>(_ name: StaticString, _ value: F?)
    mutating func objects<F: Fields>(_ name: StaticString, _ values: [F])
    /// Lists of texts, such as iTunes categories, parent before child.
    mutating func paths(_ name: StaticString, _ values: [[String]])
}

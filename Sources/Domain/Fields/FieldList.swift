/// A value whose fields can be read back: the parts of a parsed feed.
///
/// `list` names each field once, with the place of its value. Printing, storing, hashing, comparing and reading are
/// lists of different kinds.
public protocol ReadableFields: Fields {
    init()
    mutating func list<L: FieldList>(_ list: inout L)
    /// False if a field is missing without which the value is none.
    var isWhole: Bool { get }
}

extension ReadableFields {
    public var isWhole: Bool { true }

    public func visit<V: FieldVisitor>(_ visitor: inout V) {
        var copy = self
        copy.list(&visitor)
    }
}

/// Receives the fields of a value in a fixed order, and may set them.
public protocol FieldList {
    /// True if fields are set; otherwise they are only looked at.
    static var reads: Bool { get }
    mutating func text(_ name: StaticString, _ value: inout String?)
    mutating func text(_ field: ItemTexts.Field, of texts: inout ItemTexts)
    /// Texts that are equal to other texts. A stored line names the field that has the text, under this name.
    mutating func repeats(_ name: StaticString, _ texts: inout ItemTexts)
    mutating func texts(_ name: StaticString, _ values: inout [String])
    mutating func integer(_ name: StaticString, _ value: inout Int?)
    mutating func integers(_ name: StaticString, _ values: inout [Int])
    /// A number that may have a fraction, such as seconds, shares or episode numbers.
    mutating func number(_ name: StaticString, _ value: inout Double?)
    mutating func flag(_ name: StaticString, _ value: inout Bool?)
    mutating func time(_ name: StaticString, _ value: inout Timestamp?)
    /// 64 bits, which JSON's numbers cannot hold.
    mutating func hash(_ name: StaticString, _ value: inout UInt64?)
    mutating func object<F: ReadableFields>(_ name: StaticString, _ value: inout F?)
    mutating func objects<F: ReadableFields>(_ name: StaticString, _ values: inout [F])
    /// Lists of texts, such as iTunes categories, parent before child.
    mutating func paths(_ name: StaticString, _ values: inout [[String]])
    /// An object of whole numbers whose keys are data. Only stored records have one.
    mutating func integers(_ name: StaticString, byKey members: inout [(key: String, value: Int)])
    /// An object of objects whose keys are data, in their order. Only stored records have one.
    mutating func objects<F: ReadableFields>(_ name: StaticString, byKey members: inout [String: F])
}

/// A visitor looks at the fields that a list names.
extension FieldVisitor {
    public static var reads: Bool { false }
    public mutating func text(_ name: StaticString, _ value: inout String?) { text(name, value) }
    public mutating func text(_ field: ItemTexts.Field, of texts: inout ItemTexts) {
        texts.withBytes(of: field) { text(field.name, $0) }
    }
    public mutating func repeats(_ name: StaticString, _ texts: inout ItemTexts) {}
    public mutating func texts(_ name: StaticString, _ values: inout [String]) { texts(name, values) }
    public mutating func integer(_ name: StaticString, _ value: inout Int?) { integer(name, value) }
    public mutating func integers(_ name: StaticString, _ values: inout [Int]) { integers(name, values) }
    public mutating func number(_ name: StaticString, _ value: inout Double?) { number(name, value) }
    public mutating func flag(_ name: StaticString, _ value: inout Bool?) { flag(name, value) }
    public mutating func time(_ name: StaticString, _ value: inout Timestamp?) { time(name, value) }
    public mutating func hash(_ name: StaticString, _ value: inout UInt64?) {
        integer(name, value.map { Int(bitPattern: UInt($0)) })
    }
    public mutating func object<F: ReadableFields>(_ name: StaticString, _ value: inout F?) { object(name, value) }
    public mutating func objects<F: ReadableFields>(_ name: StaticString, _ values: inout [F]) { objects(name, values) }
    public mutating func paths(_ name: StaticString, _ values: inout [[String]]) { paths(name, values) }
    public mutating func integers(_ name: StaticString, byKey members: inout [(key: String, value: Int)]) {}
    public mutating func objects<F: ReadableFields>(_ name: StaticString, byKey members: inout [String: F]) {}
}

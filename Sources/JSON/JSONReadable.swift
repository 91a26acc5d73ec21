public import Domain

/// A value that can be read back from the object that its `visit` wrote.
///
/// `FieldRoundTripTests` fails when a field that `visit` names is not read.
public protocol JSONReadable: Fields {
    init()
    /// Reads the member `key`, or skips it if it is unknown.
    mutating func read(_ key: String, from json: inout JSONReader) throws
}

extension JSONReader {
    public mutating func value<Value: JSONReadable>(_ type: Value.Type = Value.self) throws -> Value {
        var value = Value()
        try object { json, key in try value.read(key, from: &json) }
        return value
    }

    public mutating func values<Value: JSONReadable>() throws -> [Value] {
        try list { try $0.value() }
    }

    public mutating func strings() throws -> [String] { try list { try $0.string() } }
    public mutating func integers() throws -> [Int] { try list { try $0.integer() } }
    public mutating func paths() throws -> [[String]] { try list { try $0.strings() } }

    /// An array whose elements are all read by `element`.
    public mutating func list<Element>(_ read: (inout JSONReader) throws -> Element) throws -> [Element] {
        var elements: [Element] = []
        try array { elements.append(try read(&$0)) }
        return elements
    }
}

import Domain
import JSON
import Testing

/// Every field that a `list` names is written and read back, for every type of a parsed feed.
@Suite struct FieldRoundTripTests {
    @Test func `every field of a channel is read back`() throws { try roundTrip(Channel.self) }
    @Test func `every field of an item is read back`() throws { try roundTrip(Item.self) }

    private func roundTrip<Value: ReadableFields>(_ type: Value.Type) throws {
        let full = Filler.json(of: Value())
        var reader = JSONReader(full)
        let value: Value = try reader.value()
        try reader.finish()
        var writer = JSONWriter()
        writer.value(value)
        #expect(writer.text == String(decoding: full, as: UTF8.self))
    }

    /// Handwritten dumps and other programs have an order of their own, and members that are not ours.
    @Test func `members are read in any order, and unknown ones are skipped`() throws {
        let json =
            #"{"new":{"a":[1,{"b":"}"}]},"link":"l","\u0074itle":"x","enclosures":[{"type":"t","url":"u"}],"title":"a","guid":"g",}"#
        var reader = JSONReader(Array(json.utf8))
        let item: Item = try reader.value()
        try reader.finish()
        #expect((item.guid, item.title, item.link) == ("g", "a", "l"))
        #expect(item.enclosures.map(\.url) == ["u"] && item.enclosures.map(\.type) == ["t"])
        #expect(reader.flaws == 1)
    }

    @Test(arguments: [
        #"{"title":1}"#, #"{"season":{"number":"two"}}"#, #"{"title":"a" "link":"b"}"#, #"{"title":"a""#, #"{"title"}"#,
    ])
    func `what does not fit is an error`(json: String) {
        var reader = JSONReader(Array(json.utf8))
        #expect(throws: JSONError.self) { try reader.value(Item.self) }
    }

    @Test func `an empty value is an empty object`() {
        var writer = JSONWriter()
        writer.value(Item())
        #expect(writer.text == "{}")
    }
}

/// Writes an object in which each field of a list has a value, whatever the visited value holds.
private struct Filler: FieldVisitor {
    var json = JSONWriter()

    static func json(of fields: some Fields) -> [UInt8] {
        var filler = Filler()
        filler.write(fields)
        return filler.json.bytes
    }

    private mutating func write(_ fields: some Fields) {
        json.object { json in
            var inner = Filler(json: json)
            fields.visit(&inner)
            json = inner.json
        }
    }

    private mutating func member(_ name: StaticString, _ value: String) {
        json.key(name.description)
        json.raw(value.utf8)
    }

    mutating func text(_ name: StaticString, _ value: String?) { member(name, "\"a \\\"\(name)\\\" é\"") }
    mutating func text(_ name: StaticString, _ value: Span<UInt8>) { text(name, String?.none) }
    mutating func texts(_ name: StaticString, _ values: [String]) { member(name, #"["one","two"]"#) }
    mutating func integer(_ name: StaticString, _ value: Int?) { member(name, "-1234567890123") }
    mutating func integers(_ name: StaticString, _ values: [Int]) { member(name, "[0,23]") }
    mutating func number(_ name: StaticString, _ value: Double?) { member(name, "3668.25") }
    mutating func flag(_ name: StaticString, _ value: Bool?) { member(name, "true") }
    mutating func time(_ name: StaticString, _ value: Timestamp?) { member(name, "\"2024-02-29T23:59:59Z\"") }
    mutating func paths(_ name: StaticString, _ values: [[String]]) { member(name, #"[["a","b"],["c"]]"#) }

    mutating func object<F: Fields>(_ name: StaticString, _ value: F?) {
        json.key(name.description)
        empty(F.self)
    }

    mutating func objects<F: Fields>(_ name: StaticString, _ values: [F]) {
        json.key(name.description)
        json.array { json in
            var inner = Filler(json: json)
            inner.empty(F.self)
            inner.empty(F.self)
            json = inner.json
        }
    }

    private mutating func empty<F: Fields>(_ type: F.Type) {
        guard let type = type as? any ReadableFields.Type else {
            Issue.record("\(F.self) cannot be read back")
            return
        }
        write(type.init())
    }
}

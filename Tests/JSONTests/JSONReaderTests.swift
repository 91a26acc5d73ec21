import Domain
import JSON
import Testing

@Suite struct JSONReaderTests {
    private func reader(_ text: String) -> JSONReader { JSONReader(Array(text.utf8)) }

    @Test func `reads all kinds in order`() throws {
        var json = reader("\u{FEFF} { \"a\" : [ 1 , -2.5e1, \"x\\u00e9\\ud83d\\ude00\" , true,null, {} ,[]] ,\"b\":false }\n")
        var seen: [String] = []
        try json.object { json, key in
            seen.append(key)
            if key == "b" {
                seen.append(String(try json.bool()))
                return
            }
            try json.array { json in
                switch try json.peek() {
                case .number: seen.append(try json.numberText())
                case .string: seen.append(try json.string())
                case .bool: seen.append(String(try json.bool()))
                case .null: seen.append(try json.null() ? "null" : "?")
                case .object, .array: seen.append("\(try json.skip().count)")
                }
            }
        }
        try json.finish()
        #expect(seen == ["a", "1", "-2.5e1", "xé😀", "true", "null", "2", "2", "b", "false"])
        #expect(json.flaws == 0)
    }

    @Test(arguments: [
        ("", 0), ("{", 1), ("{\"a\" 1}", 5), ("[,]", 1), ("[1 2]", 3), ("{,}", 1), ("[01]", 3), ("[1.]", 3),
        ("[tru]", 1), ("[\"\\x\"]", 2), ("[\"\\u12g4\"]", 2), ("[\"abc", 5), ("[1] x", 4), ("{a:1}", 1), ("[-]", 2), ("[.5]", 1),
        ("nul", 0), ("[\"a\\", 4),
    ]) func `names the place of an error`(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) {
            var json = reader(text)
            try decode(&json)
            try json.finish()
        }
        #expect(error?.offset == offset)
    }

    /// Reads everything, strings included.
    private func decode(_ json: inout JSONReader) throws {
        switch try json.peek() {
        case .object: try json.object { json, _ in try decode(&json) }
        case .array: try json.array { try decode(&$0) }
        case .string: _ = try json.string()
        default: try json.skip()
        }
    }

    @Test func `skipping never reads past the end`() {
        for text in ["\"abc\\", "\"abc\\\"", "[\"\\", "[\"abcdefghijklmnopqrstuvwxyz\\"] {
            #expect(throws: JSONError.self) {
                var json = reader(text)
                try json.skip()
            }
        }
    }

    @Test func `the line of an error is counted from one`() {
        let bytes = Array("{\n\"a\": 1,\n?}".utf8)
        var json = JSONReader(bytes)
        let error = #expect(throws: JSONError.self) { try json.skip() }
        #expect(error?.line(in: bytes) == 3)
    }

    @Test func `depth is bounded`() throws {
        let deep = JSONReader.maxDepth
        var fits = reader(String(repeating: "[", count: deep) + String(repeating: "]", count: deep))
        try fits.skip()
        var tooDeep = reader(String(repeating: "[", count: 1_000_000))
        let error = #expect(throws: JSONError.self) { try tooDeep.skip() }
        #expect(error == JSONError(reason: .tooDeep, offset: deep))
    }

    @Test func `a comma after the last element is read and counted`() throws {
        var json = reader("{\"a\":[1,2,],}")
        var numbers: [Int] = []
        try json.object { json, _ in try json.array { numbers.append(try $0.integer()) } }
        try json.finish()
        #expect(numbers == [1, 2])
        #expect(json.flaws == 2)
    }

    @Test func `flaws inside strings are read and counted`() throws {
        var json = JSONReader(Array("\"a\nb\\ud800c".utf8) + [0xFF] + Array("d\"".utf8))
        #expect(try json.string() == "a\nb\u{FFFD}c\u{FFFD}d")
        #expect(json.flaws == 3)
    }

    @Test(arguments: [
        ("7", 7), ("-7", -7), ("1e3", 1000), ("9223372036854775807", .max), ("-9223372036854775808", .min), ("5.0", 5),
        ("0", 0), ("-0", 0), (" 12 ", 12), ("999999999999999999", 999_999_999_999_999_999),
        ("-1000000000000000000", -1_000_000_000_000_000_000), ("1E2", 100),
    ])
    func `integers may be written in other forms`(text: String, expected: Int) throws {
        var json = reader(text)
        #expect(try json.integer() == expected)
    }

    @Test(arguments: [
        "1.5", "1e99", "9223372036854775808", "\"7\"", "true", "007", "-", "-a", "1.", "1e", "",
    ])
    func `what is no integer is refused`(text: String) {
        var json = reader(text)
        #expect(throws: JSONError.self) { try json.integer() }
    }

    @Test func `a slice is read by itself`() throws {
        let bytes = Array(#"{"head":{"a":1},"item":{"title":"x"}}"#.utf8)
        var json = JSONReader(bytes)
        var itemRange = 0..<0
        try json.object { json, key in
            let range = try json.skip()
            if key == "item" { itemRange = range }
        }
        var inner = JSONReader(bytes, in: itemRange)
        let item: Item = try inner.value()
        #expect(item.title == "x")
    }

    @Test(arguments: [
        "\"2001-02-03\"", "\"2001-02-30T00:00:00Z\"", "\"2001-02-03T04:05:06+\"", "\"2001-02-03T04:05:0xZ\"", "17",
        "\"2001-02-03T04:05:06Z",
    ]) func `a date of another form is refused`(text: String) {
        var json = reader(text)
        let error = #expect(throws: JSONError.self) { try json.time() }
        #expect(error == JSONError(reason: .wrongType, offset: 0))
    }

    @Test func `a date is read in place`() throws {
        var json = reader(" \"2001-02-03T04:05:06Z\" ")
        #expect(try json.time() == Timestamp("2001-02-03T04:05:06Z"))
        try json.finish()
    }
}

import Domain
import JSON
import Testing

@Suite struct JSONWriterTests {
    private func written(pretty: Bool = false, _ body: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter(pretty: pretty)
        body(&json)
        return json.text
    }

    @Test func `leaves out what is absent or empty`() {
        let text = written {
            $0.object {
                $0.text("absent", nil)
                $0.text("empty", "")
                $0.texts("none", [])
                $0.object("hollow") { $0.text("empty", "") }
                $0.array("bare") { _ in }
                $0.integer("zero", 0)
                $0.flag("no", false)
            }
        }
        #expect(text == #"{"zero":0,"no":false}"#)
    }

    @Test func `nests with commas in the right places`() {
        let text = written {
            $0.object {
                $0.object("a") { $0.integer("b", 1) }
                $0.array("c") {
                    $0.value(1)
                    $0.object { $0.text("d", "e") }
                    $0.array { $0.value("f") }
                    $0.object { _ in }
                }
                $0.key("g h")
                $0.raw("[true]".utf8)
                $0.hash("i", 0xAB)
            }
            $0.endLine()
            $0.object { _ in }
        }
        #expect(
            text == """
                {"a":{"b":1},"c":[1,{"d":"e"},["f"],{}],"g h":[true],"i":"00000000000000ab"}
                {}
                """)
    }

    @Test func `numbers and dates have all their digits`() {
        var json = JSONWriter()
        let time = Timestamp(seconds: 951_868_799)
        for round in 1...2 {
            json.array {
                for number in [0, 9, 10, -7, .max, .min] { $0.value(number) }
            }
            json.endLine()
            json.object { for time in [time, time, Timestamp(seconds: 0), time] { $0.time("at", time) } }
            let dates = ["2000-02-29T23:59:59Z", "2000-02-29T23:59:59Z", "1970-01-01T00:00:00Z", "2000-02-29T23:59:59Z"]
            let numbers = "0,9,10,-7,9223372036854775807,-9223372036854775808"
            let times = dates.map { "\"at\":\"\($0)\"" }.joined(separator: ",")
            #expect(json.text == "[\(numbers)]\n{\(times)}", "round \(round)")
            json.endLine()
            json.removeAll()
        }
    }

    @Test func `pretty is indented by two blanks`() {
        let text = written(pretty: true) {
            $0.object {
                $0.integer("a", 1)
                $0.object("hollow") { _ in }
                $0.array("b") {
                    $0.value("c")
                    $0.object { $0.integer("d", 2) }
                }
                $0.key("e")
                $0.value("f")
            }
        }
        #expect(
            text == """
                {
                  "a": 1,
                  "b": [
                    "c",
                    {
                      "d": 2
                    }
                  ],
                  "e": "f"
                }
                """)
    }

    @Test(arguments: [
        (3.0, "3"), (0.0, "0"), (-2.0, "-2"), (0.1, "0.1"), (61.5, "61.5"), (1e15, "1000000000000000"), (1e16, "1e+16"),
        (1e300, "1e+300"),
    ]) func `whole numbers have no fraction`(number: Double, expected: String) {
        #expect(written { $0.object { $0.number("n", number) } } == "{\"n\":\(expected)}")
    }

    @Test func `numbers that JSON does not have are left out`() {
        #expect(written { $0.object { $0.number("n", .infinity) } } == "{}")
        #expect(written { $0.object { $0.number("n", .nan) } } == "{}")
    }

    @Test func `dates have one form`() throws {
        let time = try #require(Timestamp("2001-02-03T04:05:06Z"))
        #expect(written { $0.object { $0.time("t", time) } } == #"{"t":"2001-02-03T04:05:06Z"}"#)
        let last = try #require(Timestamp("9999-12-31T23:59:59Z"))
        #expect(written { $0.object { $0.time("t", last) } } == #"{"t":"9999-12-31T23:59:59Z"}"#)
        #expect(written { $0.object { $0.time("t", last + 1) } } == "{}")
    }

    @Test(arguments: [
        ("\"\\/", #"\"\\/"#),
        ("\n\r\t\u{0}\u{1F}\u{7F}", #"\n\r\t\u0000\u001f\u007f"#),
        ("\u{80}\u{9F}\u{A0}é", #"\u0080\u009f"# + "\u{A0}é"),
        ("\u{202E}abc\u{2066}’“\u{2028}\u{200F}", #"\u202eabc\u2066’“\u2028\u200f"#),
        (
            "a long run of plain text, then \"quotes\" and a long run again, é",
            #"a long run of plain text, then \"quotes\" and a long run again, é"#
        ),
    ]) func `what could act on a terminal is escaped`(text: String, expected: String) throws {
        let json = written { $0.value(text) }
        #expect(json == "\"\(expected)\"")
        var reader = JSONReader(Array(json.utf8))
        #expect(try reader.string() == text)
    }
}

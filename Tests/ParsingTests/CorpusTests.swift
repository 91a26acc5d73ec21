import Domain
import JSON
import Parsing
import Presentation
import Testing

/// The cases of the corpus beside the repository, where it is there: each a document, and what must hold for its JSON.
@Suite struct CorpusTests {
    @Test(
        .enabled(if: !Corpus.cases.isEmpty, "no corpus at ../shared/corpus: its cases are skipped"), arguments: Corpus.cases)
    func `holds`(_ name: String) throws {
        let expectation = try #require(Files.readFile("\(Corpus.folder)/\(name).expect.json"))
        let wanted = try #require(JSONValue(expectation))
        let document = try #require(Corpus.document(of: name))
        var hints = ParseHints()
        let arguments = wanted.texts("args")
        for (option, value) in zip(arguments, arguments.dropFirst()) {
            if option == "--base-url" { hints.baseURL = value }
            if option == "--content-type" { hints.contentType = value }
        }
        let parser = FeedParser(hints)
        parser.push(document)
        guard let feed = try? parser.finish() else {
            #expect(wanted["exit"]?.mayBe(65) == true, "refused")
            return
        }
        #expect(wanted["exit"]?.mayBe(0) == true, "read, though it is no feed")
        let printed = try #require(JSONValue(ParsedFeedJSON(feed).bytes))
        for (path, value) in wanted["equal"]?.members ?? [:] {
            #expect(printed.at(path) == value, "\(path)")
        }
        for path in wanted.texts("absent") { #expect(printed.at(path) == nil, "\(path)") }
    }
}

enum Corpus {
    static let folder = Files.folder + "/../../shared/corpus"

    /// `group/name`, sorted.
    static let cases = Files.names(in: ".", of: folder).flatMap { group in
        Files.names(in: group, of: folder).filter { $0.hasSuffix(".expect.json") }.map { "\(group)/\($0.dropLast(12))" }
    }

    static func document(of name: String) -> [UInt8]? {
        ["xml", "json", "html", "txt", "bin"].lazy.compactMap { Files.readFile("\(folder)/\(name).\($0)") }.first
    }
}

/// Any JSON, as the corpus compares it: numbers by their value.
private enum JSONValue: Equatable {
    case text(String), number(Double), flag(Bool), null, list([JSONValue]), object([String: JSONValue])

    init?(_ bytes: [UInt8]) {
        var reader = JSONReader(bytes)
        guard let value = try? JSONValue(from: &reader) else { return nil }
        self = value
    }

    private init(from json: inout JSONReader) throws {
        switch try json.peek() {
        case .object:
            var members: [String: JSONValue] = [:]
            try json.object { members[$1] = try JSONValue(from: &$0) }
            self = .object(members)
        case .array:
            var elements: [JSONValue] = []
            try json.array { elements.append(try JSONValue(from: &$0)) }
            self = .list(elements)
        case .string: self = .text(try json.string())
        case .number: self = .number(try json.number())
        case .bool: self = .flag(try json.bool())
        case .null:
            _ = try json.null()
            self = .null
        }
    }

    var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    subscript(_ name: String) -> JSONValue? { members?[name] }

    func texts(_ name: String) -> [String] {
        guard case .list(let elements)? = self[name] else { return [] }
        return elements.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    /// True if it is the number, or a list that contains it.
    func mayBe(_ number: Double) -> Bool {
        if case .list(let elements) = self { elements.contains(.number(number)) } else { self == .number(number) }
    }

    /// The value at a path such as `episodes[0].title`; `episodes.length` is the length of a list, 0 if it is absent.
    func at(_ path: String) -> JSONValue? {
        var value: JSONValue? = self
        let steps = path.split(whereSeparator: { $0 == "." || $0 == "[" || $0 == "]" })
        for (index, step) in steps.enumerated() {
            if let position = Int(step), case .list(let elements)? = value {
                value = elements.indices.contains(position) ? elements[position] : nil
            } else if step == "length", index == steps.count - 1, value?["length"] == nil {
                if case .list(let elements)? = value { return .number(Double(elements.count)) }
                return value == nil && !path.hasSuffix("].length") ? .number(0) : nil
            } else {
                value = value?[String(step)]
            }
        }
        return value
    }
}

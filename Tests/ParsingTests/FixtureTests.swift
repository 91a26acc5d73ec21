import Domain
import FileSystem
import Glibc
import Parsing
import Presentation
import Testing

/// Each document of Fixtures/feeds, named for what it shows, and beside it what `jimmy parse --pretty` prints for it.
@Suite struct FixtureTests {
    static let baseURL = "https://example.com/shows/feed.xml"

    static var names: [String] {
        Files.names(in: "feeds").filter { !$0.hasSuffix(".expected.json") }
    }

    @Test(arguments: names)
    func `is read as expected`(name: String) throws {
        let stem = name.split(separator: ".")[0]
        let expected = try #require(Files.read("feeds/\(stem).expected.json"))
        let document = try #require(Files.read("feeds/\(name)"))
        let feed = try FeedParser.read(document, baseURL: Self.baseURL)
        #expect(
            String(decoding: ParsedFeedJSON(feed, pretty: true).bytes, as: UTF8.self) == String(decoding: expected, as: UTF8.self)
        )
    }

    /// A file need not be kept while it is read.
    @Test(arguments: names)
    func `is read the same where it can be read again`(name: String) throws {
        let document = try #require(Files.read("feeds/\(name)"))
        let parser = FeedParser(ParseHints(baseURL: Self.baseURL), readAgain: { document })
        for start in stride(from: 0, to: document.count, by: 700) {
            parser.push(Array(document[start..<min(start + 700, document.count)]))
        }
        let whole = try FeedParser.read(document, baseURL: Self.baseURL)
        #expect(ParsedFeedJSON(try parser.finish()).bytes == ParsedFeedJSON(whole).bytes)
    }

    /// The network cuts documents anywhere.
    @Test(arguments: names)
    func `does not depend on where the pieces end`(name: String) throws {
        let document = try #require(Files.read("feeds/\(name)"))
        let whole = try FeedParser.read(document, baseURL: Self.baseURL)
        for size in [1, 7, 1_023, 1_025] {
            let parser = FeedParser(ParseHints(baseURL: Self.baseURL))
            for start in stride(from: 0, to: document.count, by: size) {
                parser.push(Array(document[start..<min(start + size, document.count)]))
            }
            #expect(ParsedFeedJSON(try parser.finish()).bytes == ParsedFeedJSON(whole).bytes, "pieces of \(size)")
        }
    }
}

extension FeedParser {
    static func read(_ document: [UInt8], baseURL: String? = nil, contentType: String? = nil) throws -> ParsedFeed {
        let parser = FeedParser(ParseHints(baseURL: baseURL, contentType: contentType))
        parser.push(document)
        return try parser.finish()
    }

    static func read(_ document: String) throws -> ParsedFeed { try read(Array(document.utf8)) }
}

/// The Fixtures folder.
enum Files {
    static let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Fixtures"

    static func read(_ path: String) -> [UInt8]? { readFile("\(folder)/\(path)") }

    static func readFile(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while true {
            let piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { $1 = fread($0.baseAddress, 1, $0.count, file) }
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    static func names(in path: String, of folder: String = Files.folder) -> [String] {
        (folderNames("\(folder)/\(path)") ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }
}

extension ParsedFeedJSON {
    /// The whole document.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write { bytes += $0 }
        return bytes
    }
}

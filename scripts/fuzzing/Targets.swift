// What libFuzzer calls; the environment variable TARGET says which part of the parser gets the bytes.
import Domain
import Glibc

@testable import Parsing

private let target = getenv("TARGET").map { String(cString: $0) } ?? "feed"

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let input = UnsafeBufferPointer(start: data, count: size)
    let bytes = Array(input)
    switch target {
    case "dates":
        let text = Text(input)
        _ = readDate(text)
        _ = readDuration(text)
        _ = readNumber(text)
        _ = Mailbox(text)
    case "opml":
        _ = try? OPML.read(bytes)
    case "transcripts":
        for type in ["text/plain", "text/html"] { _ = TranscriptParser.segments(of: bytes, TranscriptHints(type: type)) }
    case "links":
        _ = FeedLinks.find(bytes, ParseHints(baseURL: "https://example.com/"))
    default:
        // In one piece and in several: both must give the same, or the same refusal.
        let whole = read(bytes, pieceSize: max(1, size))
        precondition(whole == read(bytes, pieceSize: max(1, size / 3)), "depends on where the pieces end")
        // A document type turns off that texts and elements are taken out of what libxml2 reads.
        if let typed = withDocumentType(bytes) {
            let through = read(typed, pieceSize: typed.count)
            // If the document is damaged, its type may be warned of, and may tip the guess at its encoding.
            let isSame =
                whole?.wellFormed == true
                ? whole == through : whole?.contents == through?.contents || whole?.encoding != through?.encoding
            precondition(isSame, "depends on who reads the elements")
        }
    }
    return 0
}

/// With a document type after the XML declaration, or before all else; nil where there is one already.
private func withDocumentType(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.first == UInt8(ascii: "<"), !bytes.contains(0),
        !bytes.indices.contains(where: { bytes[$0...].starts(with: "<!D".utf8) || bytes[$0...].starts(with: "<!d".utf8) })
    else { return nil }
    var end = 0
    if bytes.starts(with: "<?".utf8) {
        guard bytes.starts(with: "<?xml ".utf8), let close = bytes.firstIndex(of: UInt8(ascii: ">")),
            bytes[close - 1] == UInt8(ascii: "?")
        else { return nil }
        end = close + 1
    }
    return Array(bytes[..<end]) + Array("<!DOCTYPE rss>".utf8) + Array(bytes[end...])
}

/// All there is to compare of a feed.
private struct Reading: Equatable {
    let contents: [ContentDigest]
    let encoding: String
    let warnings: [ParseWarning]
    let wellFormed: Bool
}

private func read(_ bytes: [UInt8], pieceSize: Int) -> Reading? {
    let parser = FeedParser(ParseHints(baseURL: "https://example.com/feed"))
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
        parser.push(Array(bytes[start..<min(start + pieceSize, bytes.count)]))
    }
    guard let feed = try? parser.finish() else { return nil }
    let contents = [ContentDigest(of: feed.channel)] + feed.items.map { ContentDigest(of: $0.item) }
    return Reading(contents: contents, encoding: feed.encoding, warnings: feed.warnings, wellFormed: feed.wellFormed)
}

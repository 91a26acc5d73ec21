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
        _ = readDate(text.bytes)
        _ = readDuration(text.bytes)
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
    }
    return 0
}

private func read(_ bytes: [UInt8], pieceSize: Int) -> [ContentDigest]? {
    let parser = FeedParser(ParseHints(baseURL: "https://example.com/feed"))
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
        parser.push(Array(bytes[start..<min(start + pieceSize, bytes.count)]))
    }
    guard let feed = try? parser.finish() else { return nil }
    return [ContentDigest(of: feed.channel)] + feed.items.map { ContentDigest(of: $0) }
}

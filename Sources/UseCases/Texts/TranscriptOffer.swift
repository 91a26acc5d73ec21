import Addresses
import Domain

/// The transcript files that a feed offers for one episode, best first.
///
/// The podcast's language counts most, then the format: WebVTT, SubRip and JSON have times, HTML sometimes, plain text
/// hardly ever. Among equals, the feed's order decides.
struct TranscriptOffer: Sendable {
    /// Only those with http or https URLs.
    let transcripts: [Transcript]
    /// Changes whenever other files are offered.
    let digest: UInt64

    /// - Parameter language: the podcast's.
    init(_ item: Item, language: String?) {
        let wanted = language.map(Self.primary)
        transcripts = item.transcripts.enumerated()
            .filter { WebURL($0.element.url ?? "") != nil }
            .sorted { Self.rank($0.element, wanted, at: $0.offset) < Self.rank($1.element, wanted, at: $1.offset) }
            .map(\.element)
        digest = XXH64.hash(transcripts.compactMap(\.url).joined(separator: "\n").utf8)
    }

    /// The chapters file that the feed names.
    init(chaptersOf item: Item) {
        var file = Transcript()
        (file.url, file.type) = (item.chapters?.url, item.chapters?.type)
        transcripts = WebURL(file.url ?? "") == nil ? [] : [file]
        digest = XXH64.hash(transcripts.compactMap(\.url).joined().utf8)
    }

    private static func rank(_ transcript: Transcript, _ wanted: String?, at index: Int) -> (Int, Int, Int) {
        let isForeign = wanted != nil && transcript.language.map { primary($0) != wanted } ?? false
        return (isForeign ? 1 : 0, form(of: transcript), index)
    }

    /// The rank of the format, which is known from the media type, else from the end of the URL.
    private static func form(of transcript: Transcript) -> Int {
        let type = transcript.type?.lowercased() ?? ""
        let path = (transcript.url ?? "").lowercased().prefix { $0 != "?" && $0 != "#" }
        func isForm(_ types: [String], _ ends: [String]) -> Bool {
            types.contains { type.contains($0) } || ends.contains { path.hasSuffix($0) }
        }
        if isForm(["vtt"], [".vtt"]) { return 0 }
        if isForm(["srt", "subrip"], [".srt"]) { return 1 }
        if isForm(["json"], [".json"]) { return 2 }
        if isForm(["html"], [".html", ".htm"]) { return 4 }
        if isForm(["text/plain"], [".txt"]) { return 5 }
        return 3
    }

    /// `pt` of `pt-BR`.
    private static func primary(_ language: String) -> String {
        language.lowercased().prefix { $0 != "-" && $0 != "_" }.description
    }
}

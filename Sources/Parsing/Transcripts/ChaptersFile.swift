internal import Domain
internal import JSON

/// Reads chapters as JSON: an object with a list `chapters` (the Podcast namespace's form), or the list alone
/// (Podlove's).
///
/// Chapters hidden from the table of contents (`toc` false) are left out; one without a title is called by its number.
/// Source: https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/examples/chapters/jsonChapters.md
enum ChaptersFile {
    /// Most chapters of an episode.
    private static let maxChapters = 1_000

    /// The chapters by start. Empty if the text is no such file; if it is damaged, the chapters before the damage.
    static func segments(of text: [UInt8]) -> [TranscriptSegment] {
        var reader = JSONReader(text)
        var chapters: [TranscriptSegment] = []
        if (try? reader.peek()) == .array {
            try? readList(&reader, &chapters)
        } else {
            try? reader.object { reader, name in
                if name == "chapters", try reader.peek() == .array {
                    try readList(&reader, &chapters)
                } else {
                    try reader.skip()
                }
            }
        }
        let ordered = chapters.enumerated().sorted { ($0.element.start ?? 0, $0.offset) < ($1.element.start ?? 0, $1.offset) }
        return ordered.prefix(maxChapters).enumerated().map { number, chapter in
            var chapter = chapter.element
            if chapter.text.isEmpty { chapter.text = "Chapter \(number + 1)" }
            return chapter
        }
    }

    private static func readList(_ reader: inout JSONReader, _ chapters: inout [TranscriptSegment]) throws {
        try reader.array { reader in
            guard try reader.peek() == .object else {
                try reader.skip()
                return
            }
            var chapter = TranscriptSegment(start: nil, text: "", isChapter: true)
            var isListed = true
            try reader.object { reader, name in
                switch name {
                case "startTime", "start": chapter.start = try TranscriptJSON.time(&reader) ?? chapter.start
                case "title" where try reader.peek() == .string: chapter.text = try reader.string().trimmedValue ?? ""
                case "toc" where try reader.peek() == .bool: isListed = try reader.bool()
                default: try reader.skip()
                }
            }
            if isListed, chapter.start != nil { chapters.append(chapter) }
        }
    }
}

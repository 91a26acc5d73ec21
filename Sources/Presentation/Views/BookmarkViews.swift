public import Domain
public import Results

/// Bookmarks: episode, podcast, title, time and note.
public struct BookmarkListView: View {
    let marked: [MarkedEpisode]

    public init(_ marked: [MarkedEpisode]) { self.marked = marked }

    public static let nothing = "No bookmarks."

    public var episodeIDs: [EpisodeID] { marked.map(\.listed.episode.id) }

    public func lines(for display: Display) -> [String] {
        var table = Table([
            .init("ID"), .init("PODCAST", minimum: 10), .init("TITLE", minimum: 16, isName: true),
            .init("TIME", rightAligned: true), .init("NOTE", minimum: 10),
        ])
        table.rows = marked.map { marked in
            let (listed, bookmark) = (marked.listed, marked.bookmark)
            let title = listed.episode.item.title
            return [
                .init(display.shown(listed.episode.id), style: .dim), .init(listed.podcast.displayTitle),
                .init(title ?? "(no title)", pipe: title ?? "", style: .bold), .init(formattedDuration(Double(bookmark.seconds))),
                .init(bookmark.note),
            ]
        }
        return table.lines(for: display)
    }

    public func jsonLines(_ emit: (String) -> Void) { for marked in marked { emit(jsonLine(Row(marked: marked))) } }

    private struct Row: Fields {
        let marked: MarkedEpisode

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            EpisodeRow(marked.listed).visit(&visitor)
            BookmarkRow(marked.bookmark).visit(&visitor)
        }
    }
}

/// The bookmarks of one episode as JSON, without the episode.
public struct BookmarkRows {
    public let jsonRows: [String]

    public init(_ bookmarks: [Bookmark]) { jsonRows = bookmarks.map { jsonLine(BookmarkRow($0)) } }
}

struct BookmarkRow: Fields {
    let bookmark: Bookmark

    init(_ bookmark: Bookmark) { self.bookmark = bookmark }

    func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.integer("seconds", bookmark.seconds)
        visitor.text("note", bookmark.note.isEmpty ? nil : bookmark.note)
        visitor.time("markedAt", bookmark.at)
    }
}

/// Wording of `mark`.
public enum BookmarkWording {
    /// `12:34 the keeper's song`.
    static func place(_ bookmark: Bookmark) -> String {
        formattedDuration(Double(bookmark.seconds)) + (bookmark.note.isEmpty ? "" : " \(bookmark.note)")
    }

    public static func set(_ bookmark: Bookmark, in episode: Episode) -> String {
        let note = bookmark.note.isEmpty ? "" : ": \(bookmark.note.oneLine)"
        let time = formattedDuration(Double(bookmark.seconds))
        return "Marked \(episode.item.title?.oneLine ?? episode.id.text) at \(time)\(note)."
    }

    public static func replaced(_ bookmark: Bookmark) -> String {
        "It replaces: \(place(bookmark).oneLine); 'jimmy undo' brings that back."
    }

    public static func removed(_ count: Int, of episode: Episode) -> String {
        "\(counted(count, "bookmark")) removed from \(episode.item.title?.oneLine ?? episode.id.text)."
    }

    public static let nothingHeard = FailureLine(
        "mark", "nothing was played yet", status: .incomplete, advice: "'jimmy mark EPISODE 12:34' marks a place in an episode")

    public static func notBegun(_ episode: Episode) -> FailureLine {
        FailureLine(
            episode.item.title?.oneLine ?? episode.id.text, "it was not begun, so it has no place to mark", status: .incomplete,
            advice: "'jimmy mark \(episode.id) 12:34' marks one")
    }

    public static func noBookmark(at seconds: Int?, in episode: Episode) -> FailureLine {
        let time = seconds.map { " at \(formattedDuration(Double($0)))" } ?? ""
        return FailureLine(
            episode.item.title?.oneLine ?? episode.id.text, "no bookmark\(time)", status: .incomplete,
            advice: "'jimmy marks \(episode.id)' lists them")
    }

    public static let noteTooLong = FailureLine(
        "mark", "the note is too long (at most \(Bookmark.maxNote) characters)", status: .usage)
}

public import Domain

/// All facts about one episode.
public struct EpisodeView: View {
    let listed: ListedEpisode
    /// Whether to show its history of changes instead.
    let showsHistory: Bool
    let transcript: StoredTranscript?
    let chapters: StoredTranscript?
    /// nil if the file was not downloaded or no longer exists.
    let file: DownloadedFile?
    let bookmarks: [Bookmark]

    public init(
        _ listed: ListedEpisode, history: Bool = false, transcript: StoredTranscript? = nil, chapters: StoredTranscript? = nil,
        file: DownloadedFile? = nil, bookmarks: [Bookmark] = []
    ) {
        self.bookmarks = bookmarks
        self.file = file
        self.chapters = chapters
        self.listed = listed
        showsHistory = history
        self.transcript = transcript
    }

    public var episodeIDs: [EpisodeID] { [listed.episode.id] }

    public func lines(for display: Display) -> [String] {
        let item = listed.episode.item
        var sheet = Sheet(item.title ?? "(no title)")
        sheet.add("id", display.shown(listed.episode.id))
        sheet.add("podcast", listed.podcast.displayTitle)
        if showsHistory {
            addHistory(to: &sheet, display)
            return sheet.lines(for: display)
        }
        addFacts(of: item, to: &sheet, display)
        sheet.addText((item.description ?? item.summary ?? item.content ?? item.subtitle).map(HTMLText.text))
        return sheet.lines(for: display)
    }

    private func addFacts(of item: Item, to sheet: inout Sheet, _ display: Display) {
        let episode = listed.episode
        sheet.add("published", episode.orderedAt.map(display.date))
        if episode.orderedAt != item.publishedAt { sheet.add("feed's date", item.publishedAt.map(display.date)) }
        sheet.add("length", item.duration.map(formattedDuration))
        let season = item.season.map { $0.name ?? $0.number.map { "season \($0.plain)" } ?? "" }
        let number = item.episode.map { $0.display ?? $0.number.map { "episode \($0.plain)" } ?? "" }
        sheet.add("number", [season, number].compactMap { $0 })
        sheet.add("kind", item.type == "full" ? nil : item.type)
        sheet.add("author", item.author)
        sheet.add(
            "people",
            item.persons.compactMap { person in
                person.name.map { name in name + (person.role.map { " (\($0))" } ?? "") }
            })
        for enclosure in item.enclosures {
            let facts = [enclosure.type, enclosure.length.map(formattedSize)].compactMap { $0 }.joined(separator: ", ")
            sheet.add("media", (enclosure.url ?? "") + (facts.isEmpty ? "" : " (\(facts))"))
        }
        sheet.add("downloaded", file.map { "\($0.path) (\(formattedSize($0.bytes)))" }, isExact: true)
        sheet.add("link", item.link)
        sheet.add("chapters", item.chapters?.url)
        let shown = chapters?.segments.map { ($0.start, $0.text) } ?? item.inlineChapters.map { ($0.start, $0.title ?? "") }
        for (start, title) in shown { sheet.add("chapter", "\(formattedDuration(start ?? 0)) \(title)") }
        for bookmark in bookmarks { sheet.add("your mark", "\(formattedDuration(Double(bookmark.seconds))) \(bookmark.note)") }
        for transcript in item.transcripts { sheet.add("transcript", transcript.url) }
        if let transcript {
            let source = transcript.source
            let facts = [source.language, counted(source.segments, "segment")].compactMap { $0 }
            if let making = source.making {
                let speed = making.speed.map { ", \($0) times as fast as spoken" } ?? ""
                sheet.add("transcribed", "by \(making.program.oneLine), \(display.date(source.at))\(speed)")
                if making.missingPieces > 0 {
                    sheet.add("", "\(counted(making.missingPieces, "piece")) failed, and will be tried again", style: .attention)
                }
                if making.timesMayBeOff(for: item) {
                    sheet.add("", "the file has another length by now, so times may be off", style: .attention)
                }
            } else {
                sheet.add("transcribed", "by its publisher")
            }
            sheet.add("stored in", "\(transcript.file) (\(facts.joined(separator: ", ")); 'jimmy show --transcript' prints it)")
        }
        sheet.add("your tags", listed.tags.sorted().map(\.text))
        sheet.add("tags", item.tags + item.keywords.filter { !item.tags.contains($0) })
        sheet.add("explicit", item.explicit == true ? "yes" : nil)
        sheet.add("guid", item.guid)
        sheet.add("first seen", display.date(episode.firstSeenAt))
        if episode.changedAt != episode.firstSeenAt { sheet.add("changed", display.date(episode.changedAt)) }
        sheet.add("withdrawn", episode.withdrawnAt.map(display.date), style: .attention)
    }

    private func addHistory(to sheet: inout Sheet, _ display: Display) {
        for edit in listed.episode.history {
            let what: String =
                switch edit.kind {
                case .changed: "changed: " + edit.fields.joined(separator: ", ")
                case .withdrawn: "left the feed"
                case .returned: "came back"
                }
            let former = edit.formerTitle.map { " (the title was “\($0)”)" } ?? ""
            let match = edit.matchedBy.map { "; recognized by its \($0.words)" } ?? ""
            sheet.add(display.isTerminal ? edit.at.localDateAndTime : edit.at.description, what + former + match)
        }
        let seen = listed.episode.firstSeenAt
        sheet.add(display.isTerminal ? seen.localDateAndTime : seen.description, "first seen")
    }

    public func jsonLines(_ emit: (String) -> Void) {
        emit(
            showsHistory
                ? jsonLine(HistoryRow(listed: listed))
                : jsonLine(
                    WholeRow(
                        listed: listed,
                        transcript: transcript.map { StoredFields(transcript: $0, item: listed.episode.item) },
                        chapters: chapters?.segments.map(Mark.init) ?? [], bookmarks: bookmarks.map(BookmarkRow.init)))
        )
    }

    private struct WholeRow: Fields {
        let listed: ListedEpisode
        let transcript: StoredFields?
        let chapters: [Mark]
        let bookmarks: [BookmarkRow]

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            EpisodeRow(listed).visit(&visitor)
            visitor.object("keptTranscript", transcript)
            visitor.objects("keptChapters", chapters)
            visitor.objects("marks", bookmarks)
        }
    }

    private struct Mark: Fields {
        let chapter: TranscriptSegment

        init(_ chapter: TranscriptSegment) { self.chapter = chapter }

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.number("start", chapter.start)
            visitor.text("title", chapter.text)
        }
    }

    private struct StoredFields: Fields {
        let transcript: StoredTranscript
        let item: Item

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            let source = transcript.source
            visitor.text("file", transcript.file)
            visitor.text("source", source.name)
            visitor.text("url", source.url.isEmpty ? nil : source.url)
            visitor.text("type", source.type)
            visitor.text("language", source.language)
            visitor.time("fetchedAt", source.at)
            visitor.integer("segments", source.segments)
            guard let making = source.making else { return }
            visitor.number("speed", making.speed)
            visitor.integer("audioBytes", making.audio.bytes)
            visitor.integer("missingPieces", making.missingPieces)
            visitor.flag("timesMayBeOff", making.timesMayBeOff(for: item))
        }
    }

    private struct HistoryRow: Fields {
        let listed: ListedEpisode

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            EpisodeRow(listed).visit(&visitor)
            visitor.objects("history", listed.episode.history.map(Edit.init))
        }
    }

    private struct Edit: Fields {
        let edit: EpisodeEdit

        init(_ edit: EpisodeEdit) { self.edit = edit }

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.time("at", edit.at)
            visitor.text("kind", edit.kind.rawValue)
            visitor.texts("fields", edit.fields)
            visitor.text("formerTitle", edit.formerTitle)
            visitor.text("matchedBy", edit.matchedBy?.rawValue)
        }
    }
}

extension EpisodeMatch {
    var words: String {
        switch self {
        case .title: "title"
        case .date: "date"
        case .enclosure: "media file"
        case .number: "season and number"
        }
    }
}

public import Domain

/// Episodes, one per line. Also the queue, with numbers.
public struct EpisodeListView: View {
    let episodes: [ListedEpisode]
    /// Whether to number the episodes, as positions of the play queue.
    let isNumbered: Bool
    /// False if all episodes are of one podcast, whose title is then omitted on a terminal.
    let showsPodcast: Bool

    public init(_ episodes: [ListedEpisode], numbered: Bool = false, ofOnePodcast: Bool = false) {
        self.episodes = episodes
        isNumbered = numbered
        showsPodcast = !ofOnePodcast
    }

    public var episodeIDs: [EpisodeID] { episodes.map(\.episode.id) }

    public func lines(for display: Display) -> [String] {
        var columns: [Table.Column] = [
            .init("ID"), .init("PUBLISHED"), .init("PODCAST", minimum: 10), .init("TITLE", minimum: 16, isName: true),
        ]
        columns.append(.init("LENGTH", rightAligned: true))
        if display.isTerminal { columns.insert(.init("NUMBER", rightAligned: true), at: 3) }
        if isNumbered { columns.insert(.init("#", rightAligned: true), at: 0) }
        var table = Table(columns)
        let podcastColumn = isNumbered ? 3 : 2
        table.rows = episodes.enumerated().map { index, listed in
            let item = listed.episode.item
            var row: [Table.Cell] = [
                .init(display.shown(listed.episode.id), style: .dim),
                .init(listed.episode.orderedAt?.relative(to: display.now), pipe: item.publishedAt?.description ?? ""),
                .init(listed.podcast.displayTitle),
                .init(item.title ?? "(no title)", pipe: item.title ?? "", style: listed.episode.isWithdrawn ? .dim : .bold),
                .init(item.duration.map(formattedDuration)),
            ]
            if display.isTerminal { row.insert(.init(item.numbering), at: 3) }
            if isNumbered { row.insert(.init(String(index + 1)), at: 0) }
            return row
        }
        if display.isTerminal && !showsPodcast {
            table.columns.remove(at: podcastColumn)
            for index in table.rows.indices { table.rows[index].remove(at: podcastColumn) }
        }
        return table.lines(for: display)
    }

    public func jsonLines(_ emit: (String) -> Void) {
        for listed in episodes { emit(jsonLine(EpisodeRow(listed))) }
    }
}

/// A row of `episodes --json`, as hooks get it too: the library's facts and all of the feed's, with the enclosure to play
/// first.
struct EpisodeRow: Fields {
    let listed: ListedEpisode

    init(_ listed: ListedEpisode) { self.listed = listed }

    func visit<V: FieldVisitor>(_ visitor: inout V) {
        let episode = listed.episode
        visitor.text("id", episode.id.text)
        visitor.text("podcastID", episode.podcastID.text)
        visitor.text("podcastTitle", listed.podcast.displayTitle)
        visitor.time("firstSeenAt", episode.firstSeenAt)
        visitor.time("changedAt", episode.changedAt)
        visitor.texts("ownTags", listed.tags.sorted().map(\.text))
        visitor.flag("withdrawn", episode.isWithdrawn ? true : nil)
        visitor.time("withdrawnAt", episode.withdrawnAt)
        episode.item.forOtherPrograms.visit(&visitor)
    }
}

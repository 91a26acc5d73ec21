import Composition
import Domain
import Presentation
import Results
import Searching
import UseCases

/// Episodes as rows of a list, with the owner's tags, positions and queue.
struct EpisodeRows {
    private let now: Timestamp
    private let queued: Set<EpisodeID>
    private let positions: [EpisodeID: PlayPosition]

    init(_ library: OpenLibrary, now: Timestamp) async throws {
        self.now = now
        queued = Set(try await library.queue.entries().map(\.episodeID))
        positions = try await library.positions.all()
    }

    /// - Parameter back: the page to return to after an action.
    func values(of listed: ListedEpisode, back: String) -> Values {
        let (episode, item) = (listed.episode, listed.episode.item)
        var values: Values = [
            "id": episode.id.text, "podcastID": episode.podcastID.text, "podcast": listed.podcast.displayTitle.oneLine,
            "cover": item.imageURL == nil ? listed.podcast.coverPath : listed.coverPath, "hasOwnCover": item.imageURL != nil,
            "title": item.title?.oneLine ?? "(no title)", "back": back, "isNew": listed.tags.contains(.new),
            "isStarred": listed.tags.contains(.starred), "isPlayed": listed.tags.contains(.played),
            "isDownloaded": listed.tags.contains(.downloaded), "isArchived": listed.tags.contains(.archived),
            "isQueued": queued.contains(episode.id), "isWithdrawn": episode.isWithdrawn,
            "hasMedia": item.chosenEnclosure != nil,
        ]
        if let published = episode.orderedAt {
            values["date"] = published.description
            values["when"] = published.relative(to: now)
        }
        if let duration = item.duration, duration > 0 { values["length"] = formattedDuration(duration) }
        if let position = positions[episode.id], let whole = position.duration ?? item.duration, whole > 0 {
            let share = min(max(position.seconds / whole, 0), 1)
            values["progress"] = String(Int(bounded: (share * 100).rounded()))
            values["left"] = formattedDuration(max(0, whole - position.seconds))
        }
        return values
    }

    func values(of listed: [ListedEpisode], back: String) -> [Values] { listed.map { values(of: $0, back: back) } }

    /// The row of a search result, with its snippet.
    func values(of result: FoundEpisode, back: String) -> Values {
        var values = values(
            of: ListedEpisode(podcast: result.podcast, episode: result.episode, tags: result.tags), back: back)
        if result.snippet.field == "title" || result.snippet.field == "itunesTitle" {
            values["markedTitle"] = result.snippet.html
        } else if result.snippet.text == result.podcast.displayTitle {
            values["markedPodcast"] = result.snippet.html
        } else if !result.snippet.text.isEmpty {
            values["snippet"] = result.snippet.html
        }
        if let start = result.start {
            values["start"] = String(Int(bounded: start))
            values["said"] = formattedDuration(start)
        }
        values["others"] = result.others.map { ["podcast": $0.podcast.displayTitle.oneLine] as Values }
        return values
    }
}

/// The division of a long list into pages.
struct Pages {
    /// Rows per page. Including style and script, such a page is smaller than 100 kB.
    static let size = 30
    let number: Int
    let count: Int
    private let size: Int

    /// - Parameter number: the requested page; the last page is used if it does not exist.
    init(_ number: Int, of total: Int, size: Int = Self.size) {
        self.size = size
        count = max(1, (total + size - 1) / size)
        self.number = min(number, count)
    }

    var range: Range<Int> { (number - 1) * size..<number * size }

    /// - Parameter path: the address without the page's number, ready for one more field.
    func values(_ path: String) -> Values {
        guard count > 1 else { return [:] }
        var values: Values = ["number": grouped(number), "count": grouped(count)]
        if number > 1 { values["previous"] = path + "page=\(number - 1)" }
        if number < count { values["next"] = path + "page=\(number + 1)" }
        return ["pager": values]
    }
}

extension ListedEpisode {
    /// The address of the picture that the feed gives the episode.
    var coverPath: String { "/covers/episodes/\(episode.id.text)?v=\(podcast.contentRevision)" }
}

extension Array {
    /// The elements at the indices in `range` that exist.
    func slice(_ range: Range<Int>) -> [Element] { Array(self[range.clamped(to: 0..<count)]) }
}

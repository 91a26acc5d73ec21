import Addresses
import Domain

/// gPodder 3: `~/gPodder/Database`. Source: gpodder/schema.py, versions 1 to 8.
enum GPodder {
    /// States of an episode. Source: gpodder/__init__.py.
    private enum State { static let downloaded: Int64 = 1 }

    static func read(_ file: SQLiteFile) throws(ImportFailure) -> ForeignLibrary {
        var library = ForeignLibrary(.gPodder)
        var podcasts: [Int64: OPMLOutline] = [:]
        let columns = ["id", "title", "url", "auth_username", "auth_password", "pause_subscription", "section"]
        try file.rows(of: "podcast", columns, order: "id") { row in
            guard let url = row.text(2) else { return }
            var outline = OPMLOutline(feedURL: url, title: row.text(1))
            // The sections that gPodder makes itself say no more than the type of the files.
            if let section = row.text(6), !["audio", "video", "other"].contains(section.lowercased()) {
                outline.folders = [section]
            }
            if let user = row.text(3) { outline.credentials = Credentials(user: user, password: row.text(4) ?? "") }
            outline.settings.isPaused = row.integer(5) != 0
            podcasts[row.integer(0)] = outline
            library.outlines.append(outline)
        }
        try readEpisodes(file, of: podcasts, &library)
        return library
    }

    private static func readEpisodes(
        _ file: SQLiteFile, of podcasts: [Int64: OPMLOutline], _ library: inout ForeignLibrary
    ) throws(ImportFailure) {
        let columns = [
            "podcast_id", "title", "url", "guid", "link", "state", "is_new", "archive", "total_time", "current_position",
            "current_position_updated", "last_playback",
        ]
        var downloads = 0
        try file.rows(of: "episode", columns, order: "id") { row in
            guard let podcast = podcasts[row.integer(0)] else { return }
            let (isDownloaded, isNew) = (row.integer(5) == State.downloaded, row.integer(6) != 0)
            let (seconds, duration) = (row.seconds(9), row.seconds(8))
            let playedAt = row.time(11)
            if isDownloaded { downloads += 1 }
            let isAtEnd = seconds.flatMap { seconds in duration.map { seconds >= $0 - min(30, $0 / 20) } } ?? false
            // "Not new" alone is what all older episodes are after a subscription.
            let isPlayed = isAtEnd || !isNew && seconds == nil && (playedAt != nil || isDownloaded)
            var tags: Set<Tag> = []
            if isPlayed { tags.insert(.played) } else if isNew { tags.insert(.new) }
            if row.integer(7) != 0 { tags.insert(.starred) }
            let facts = LineFacts(
                seconds: seconds, duration: duration, heardAt: row.time(10) ?? playedAt, playedAt: playedAt, isPlayed: isPlayed)
            library.add(tags, facts, of: [row.text(3), row.text(2), row.text(4)], row.text(1), in: podcast)
        }
        if downloads > 0 { library.omissions.append(.downloads(downloads)) }
    }
}

import Addresses
import Domain

/// AntennaPod's exported database. Source: its storage/database module, PodDBAdapter.java, up to version 3.
enum AntennaPod {
    private enum Read { static let new: Int64 = -1, played: Int64 = 1 }
    private enum State { static let subscribed: Int64 = 0, archived: Int64 = 2 }

    static func read(_ file: SQLiteFile) throws(ImportFailure) -> ForeignLibrary {
        var library = ForeignLibrary(.antennaPod)
        let podcasts = try readPodcasts(file, &library)
        let places = try ids(in: "Queue", file)
        let favorites = Set(try ids(in: "Favorites", file).keys)
        let media = try readMedia(file)
        if media.downloads > 0 { library.omissions.append(.downloads(media.downloads)) }
        try file.rows(of: "FeedItems", ["id", "title", "read", "link", "feed", "item_identifier"], order: "id") { row in
            guard let podcast = podcasts[row.integer(4)] else { return }
            let (id, played) = (row.integer(0), row.integer(2) == Read.played)
            var tags: Set<Tag> = []
            if played { tags.insert(.played) } else if row.integer(2) == Read.new { tags.insert(.new) }
            if favorites.contains(id) { tags.insert(.starred) }
            let position = media.byItem[id]
            var facts = LineFacts(
                seconds: position?.seconds, duration: position?.duration, heardAt: position?.heardAt,
                playedAt: position?.playedAt, isPlayed: played)
            facts.queuePlace = places[id]
            library.add(tags, facts, of: [row.text(5), position?.url, row.text(3)], row.text(1), in: podcast)
        }
        return library
    }

    private static func readPodcasts(
        _ file: SQLiteFile, _ library: inout ForeignLibrary
    ) throws(ImportFailure) -> [Int64: OPMLOutline] {
        let columns = [
            "id", "title", "custom_title", "download_url", "username", "password", "keep_updated", "feed_playback_speed",
            "feed_skip_intro", "feed_skip_ending", "tags", "state",
        ]
        let hasPauses = try file.columns(of: "Feeds").contains("keep_updated")
        var podcasts: [Int64: OPMLOutline] = [:]
        try file.rows(of: "Feeds", columns, order: "id") { row in
            // Others were only looked at.
            guard [State.subscribed, State.archived].contains(row.integer(11)), let url = row.text(3) else { return }
            guard !url.hasPrefix("antennapod_local:") else {
                library.omissions.append(.localPodcast(title: row.text(2) ?? row.text(1) ?? url))
                return
            }
            var outline = OPMLOutline(feedURL: url, title: row.text(1))
            outline.folders = (row.text(10) ?? "").split(separator: "\u{1E}").map(String.init).filter { $0 != "#root" }
            if let user = row.text(4) { outline.credentials = Credentials(user: user, password: row.text(5) ?? "") }
            outline.settings.title = row.text(2)
            outline.settings.isPaused = hasPauses && row.integer(6) == 0 || row.integer(11) == State.archived
            // -1 is the general speed.
            let speed = row.number(7)
            outline.settings.speed = (0.25...4).contains(speed) && speed != 1 ? speed : nil
            outline.settings.skipIntro = row.seconds(8)
            outline.settings.skipOutro = row.seconds(9)
            podcasts[row.integer(0)] = outline
            library.outlines.append(outline)
        }
        return podcasts
    }

    /// The items that a table lists, with their places in it, counted from 1.
    private static func ids(in table: String, _ file: SQLiteFile) throws(ImportFailure) -> [Int64: Int] {
        var places: [Int64: Int] = [:]
        guard try file.columns(of: table).contains("feeditem") else { return [:] }
        try file.rows(of: table, ["feeditem"], order: "id") { row in places[row.integer(0)] = places.count + 1 }
        return places
    }

    private struct Media {
        var url: String?
        var seconds: Double?
        var duration: Double?
        var heardAt: Timestamp?
        var playedAt: Timestamp?
    }

    private static func readMedia(_ file: SQLiteFile) throws(ImportFailure) -> (byItem: [Int64: Media], downloads: Int) {
        let columns = [
            "feeditem", "download_url", "position", "duration", "last_played_time", "playback_completion_date", "downloaded",
        ]
        var byItem: [Int64: Media] = [:]
        var downloads = 0
        try file.rows(of: "FeedMedia", columns, order: "id") { row in
            byItem[row.integer(0)] = Media(
                url: row.text(1), seconds: row.seconds(2, unit: 1_000), duration: row.seconds(3, unit: 1_000),
                heardAt: row.time(4, unit: 1_000), playedAt: row.time(5, unit: 1_000))
            // Since version 3.3 this is the time of the download.
            if row.integer(6) > 0 { downloads += 1 }
        }
        return (byItem, downloads)
    }
}

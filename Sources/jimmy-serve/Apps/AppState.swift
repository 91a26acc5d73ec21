/// What podcast apps have been told or have sent, besides the library's own data: their devices, and the times of
/// changes.
struct AppState: Codable, Sendable {
    struct Device: Codable, Sendable {
        var caption: String
        var type: String
        /// The list that the device last sent. A subscription that is missing from its next list was removed there.
        var sent: [String]?
    }

    struct Change: Codable, Sendable {
        var url: String
        var isAdded: Bool
        var at: Int64
    }

    /// The time of the last change or action. Each gets a later time than the one before, so that none is missed or
    /// sent twice.
    var clock: Int64 = 0
    var devices: [String: Device] = [:]
    /// Feed URLs that apps have been told or have sent.
    var subscribed: Set<String> = []
    var changes: [Change] = []
    var actions: [EpisodeAction] = []
    /// Positions of the library that apps have, by episode: their times in seconds since 1970.
    var positions: [String: Int64] = [:]
    var played: Set<String> = []
    /// JSON as the apps sent it, by scope, device, podcast and episode.
    var settings: [String: String] = [:]

    /// The next time, at least `now`.
    mutating func tick(_ now: Int64) -> Int64 {
        clock = max(clock + 1, now)
        return clock
    }

    /// The last change of each address since a time.
    func changes(since time: Int64) -> (added: [String], removed: [String]) {
        var last: [String: Bool] = [:]
        for change in changes where change.at >= time { last[change.url] = change.isAdded }
        return (last.filter(\.value).keys.sorted(), last.filter { !$0.value }.keys.sorted())
    }
}

/// An action of an app on an episode. Source: gPodder API v2, "Episode Actions".
struct EpisodeAction: Codable, Sendable {
    var podcast: String
    /// The URL of the media file.
    var episode: String
    var guid: String?
    var device: String?
    /// `play`, `new`, `download`, `delete` or `flattr`.
    var action: String
    /// UTC, `YYYY-MM-DDTHH:MM:SS`; the server's time if the app sent none.
    var timestamp: String?
    /// Seconds.
    var started: Int?
    var position: Int?
    var total: Int?
    /// When it arrived, by `AppState.clock`.
    var arrived: Int64?

    static let longest = 2_048

    /// True if the action is one of the API's and all fields are within reasonable limits.
    var isValid: Bool {
        ["play", "new", "download", "delete", "flattr"].contains(action.lowercased())
            && [podcast, episode, guid ?? "", device ?? "", timestamp ?? ""].allSatisfy { $0.utf8.count <= Self.longest }
            && [started, position, total].allSatisfy { $0.map { (-1...10_000_000).contains($0) } ?? true }
    }
}

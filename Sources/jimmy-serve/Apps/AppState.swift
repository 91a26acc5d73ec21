/// What podcast apps know, beside what the library has: their devices, and what changed when.
struct AppState: Codable, Sendable {
    struct Device: Codable, Sendable {
        var caption: String
        var type: String
        /// The list that the device sent last, so that what is missing from the next one was removed there.
        var sent: [String]?
    }

    struct Change: Codable, Sendable {
        var url: String
        var isAdded: Bool
        var at: Int64
    }

    /// Changes and actions have times of their own, each later than the one before, so that none is missed or sent twice.
    var clock: Int64 = 0
    var devices: [String: Device] = [:]
    /// Feed URLs that were told to apps, or came from them.
    var subscribed: Set<String> = []
    var changes: [Change] = []
    var actions: [EpisodeAction] = []
    /// Positions of the library that apps know, by episode: seconds since 1970.
    var positions: [String: Int64] = [:]
    var played: Set<String> = []
    /// By scope, device, podcast and episode: JSON as the apps sent it.
    var settings: [String: String] = [:]

    /// The next time, at least `now`.
    mutating func tick(_ now: Int64) -> Int64 {
        clock = max(clock + 1, now)
        return clock
    }

    /// Of each address only the last change counts.
    func changes(since time: Int64) -> (added: [String], removed: [String]) {
        var last: [String: Bool] = [:]
        for change in changes where change.at >= time { last[change.url] = change.isAdded }
        return (last.filter(\.value).keys.sorted(), last.filter { !$0.value }.keys.sorted())
    }
}

/// What was done with an episode. Source: gPodder API v2, "Episode Actions".
struct EpisodeAction: Codable, Sendable {
    var podcast: String
    /// The URL of its media file.
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
    /// When it came here: `AppState.clock`.
    var arrived: Int64?

    static let longest = 2_048

    /// The fields are those of the API, and no longer than anybody needs.
    var isValid: Bool {
        ["play", "new", "download", "delete", "flattr"].contains(action.lowercased())
            && [podcast, episode, guid ?? "", device ?? "", timestamp ?? ""].allSatisfy { $0.utf8.count <= Self.longest }
            && [started, position, total].allSatisfy { $0.map { (-1...10_000_000).contains($0) } ?? true }
    }
}

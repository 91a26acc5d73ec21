/// An action of an app on an episode. Source: gPodder API v2, "Episode Actions".
public struct EpisodeAction: Codable, Equatable, Sendable {
    public var podcast: String
    /// The URL of the media file.
    public var episode: String
    public var guid: String?
    public var device: String?
    /// `play`, `new`, `download`, `delete` or `flattr`.
    public var action: String
    /// UTC, `YYYY-MM-DDTHH:MM:SS`; the server's time if the app sent none.
    public var timestamp: String?
    /// Seconds.
    public var started: Int?
    public var position: Int?
    public var total: Int?
    /// When it arrived, by `AppState.clock`.
    public var arrived: Int64?

    public init(podcast: String, episode: String, action: String) {
        (self.podcast, self.episode, self.action) = (podcast, episode, action)
    }

    private static let maxTextLength = 2_048

    /// True if the action is one of the API's and all fields are within reasonable limits.
    public var isValid: Bool {
        ["play", "new", "download", "delete", "flattr"].contains(action.lowercased())
            && [podcast, episode, guid ?? "", device ?? "", timestamp ?? ""].allSatisfy { $0.utf8.count <= Self.maxTextLength }
            && [started, position, total].allSatisfy { $0.map { (-1...10_000_000).contains($0) } ?? true }
    }

    /// True if the app reports that the episode was heard to its last second.
    public var isFinished: Bool {
        guard let position, let total, total > 0 else { return false }
        return position >= total - 1
    }
}

/// Times in the format of the gPodder API.
public enum ActionTime {
    /// `2026-11-22T15:00:00`, in UTC.
    public static func text(_ time: Timestamp) -> String { String(time.description.prefix(19)) }

    /// Accepts fractions, `Z`, and seconds since 1970 up to the year 9999 as well; nil for anything else.
    public static func parse(_ text: String) -> Timestamp? {
        if let seconds = Int64(text), case let time = Timestamp(seconds: seconds) {
            return seconds >= 0 && Timestamp.writable.contains(time) ? time : nil
        }
        return Timestamp(String(text.prefix(19).map { $0 == " " ? "T" : $0 }) + "Z")
    }
}

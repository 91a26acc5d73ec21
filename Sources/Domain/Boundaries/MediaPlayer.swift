import Addresses

/// A program that plays one episode.
public protocol MediaPlayer: Sendable {
    /// Plays until the program ends.
    ///
    /// - Parameter report: called at least once a second while the episode plays.
    func play(_ request: PlayRequest, report: @escaping @Sendable (PlayerReport) async -> Void) async -> PlayerOutcome
}

/// What a player is asked to play, and how.
public struct PlayRequest: Equatable, Sendable {
    /// An absolute path or a URL.
    public var media: String
    /// Seconds into the episode.
    public var start: Double
    /// 1 is the recorded speed.
    public var speed = 1.0
    /// Seconds at the end that are not played.
    public var outro = 0.0
    /// Sent to the server of a URL.
    public var userAgent: String?

    public init(media: String, start: Double) {
        self.media = media
        self.start = start
    }

    /// True if the media is fetched from a server.
    public var isStreamed: Bool { WebURL(media) != nil }
}

/// Where a player is.
public struct PlayerReport: Equatable, Sendable {
    /// Seconds into the episode.
    public var seconds: Double
    /// Seconds; nil if the player does not say.
    public var duration: Double?
    public var speed: Double

    public init(seconds: Double, duration: Double?, speed: Double) {
        (self.seconds, self.duration, self.speed) = (seconds, duration, speed)
    }
}

/// How a player ended.
public struct PlayerOutcome: Equatable, Sendable {
    public enum Exit: Hashable, Sendable {
        /// The exit status, or 128 and the signal, as shells report it.
        case ended(Int32)
        case notStarted(errno: Int32)
    }

    public var exit: Exit
    /// True if the player said that it came to the end of the media. A stream that breaks off ends as well.
    public var isAtEnd = false
    /// True if positions came from the player, false if they were measured by the time that it ran.
    public var isFollowed = false
    /// True if an interrupt of this program ended it, whatever its exit status says.
    public var isInterrupted = false

    public init(_ exit: Exit) { self.exit = exit }
}

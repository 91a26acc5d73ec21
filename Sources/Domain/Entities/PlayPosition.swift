/// How far the owner has heard an episode, and when.
public struct PlayPosition: Equatable, Sendable {
    public var episodeID: EpisodeID
    /// Seconds into the episode; 0 if it was heard to its end, or not begun again since.
    public var seconds: Double
    /// Seconds, as measured by the player; nil if unknown.
    public var duration: Double?
    /// When the owner last heard it.
    public var at: Timestamp
    /// The speed at which it was playing then; nil if it stood still, or if that is not known.
    public var speed: Double?
    /// When it was last heard to its end.
    public var playedAt: Timestamp?
    /// The times of listening, oldest first.
    public var heard: [HeardSpan] = []

    public init(episodeID: EpisodeID, seconds: Double, duration: Double? = nil, at: Timestamp) {
        self.episodeID = episodeID
        self.seconds = seconds
        self.duration = duration
        self.at = at
    }

    /// True if the episode was begun and not heard to its end.
    public var isBegun: Bool { seconds > 0 }

    /// Seconds after which a player that stored nothing is not playing any more; it stores more often.
    private static let playingWithin: Int64 = 8

    /// Seconds into the episode at this moment, also while it plays.
    public func place(at now: Timestamp) -> Double {
        let passed = now - at
        guard let speed, (0...Self.playingWithin).contains(passed) else { return seconds }
        let place = seconds + Double(passed) * speed
        return min(place, max(duration ?? place, seconds))
    }

    /// Seconds of the episode that were heard, those heard again included.
    public var secondsHeard: Double { heard.reduce(0) { $0 + $1.seconds } }

    /// Seconds. A player that ends sooner has played nothing.
    private static let minDifference = 0.1

    /// False if the place and what was heard are as good as the same.
    public func differs(from other: PlayPosition?) -> Bool {
        abs(seconds - (other?.seconds ?? 0)) >= Self.minDifference
            || abs(secondsHeard - (other?.secondsHeard ?? 0)) >= Self.minDifference || playedAt != other?.playedAt
    }

    /// True if there is nothing to remember.
    public var isEmpty: Bool { seconds <= 0 && playedAt == nil && heard.isEmpty }
}

/// One time of listening to an episode.
public struct HeardSpan: Hashable, Sendable {
    /// When it began.
    public var at: Timestamp
    /// Seconds of the episode that were heard; at double speed, two for each second that passed.
    public var seconds: Double

    public init(at: Timestamp, seconds: Double) { (self.at, self.seconds) = (at, seconds) }
}

extension PlayPosition {
    /// Seconds without listening after which a new span begins.
    private static let pause: Int64 = 1_800
    /// Spans that are stored; older ones are added to the first.
    private static let maxSpans = 100

    /// The stored position, brought to this one.
    ///
    /// - Parameter heard: seconds of the episode that were heard since the stored position; nil if a player reports
    ///   positions only. They count if they can have passed since then.
    public func following(_ stored: PlayPosition?, heard: Double?) -> PlayPosition {
        var position = self
        position.duration = duration ?? stored?.duration
        position.playedAt = playedAt ?? stored?.playedAt
        position.heard = stored?.heard ?? []
        let passed = stored.map { Double(max(at - $0.at, 0)) } ?? 0
        let advanced = stored.map { seconds - $0.seconds } ?? 0
        let isContinued = stored != nil && advanced > 0 && advanced <= passed * 4 + 2
        position.add(heard ?? (isContinued ? advanced : 0), since: stored?.at)
        return position
    }

    private mutating func add(_ seconds: Double, since last: Timestamp?) {
        guard seconds > 0 else { return }
        if let last, at - last < Self.pause, !heard.isEmpty {
            heard[heard.count - 1].seconds += seconds
        } else {
            heard.append(HeardSpan(at: at + -Int64(min(seconds, 86_400)), seconds: seconds))
        }
        guard heard.count > Self.maxSpans else { return }
        let oldest = heard.removeFirst()
        heard[0].seconds += oldest.seconds
    }
}

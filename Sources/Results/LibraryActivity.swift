public import Domain

/// The activity of publishers and servers over some weeks, as `jimmy chart` draws it.
public struct LibraryActivity: Sendable {
    /// A week that begins on a Monday, UTC.
    public struct Week: Sendable {
        public var start: Timestamp
        public var episodes = 0
        public var seconds = 0.0
        /// Seconds of episodes that were heard.
        public var heard = 0.0

        package init(start: Timestamp) { self.start = start }
    }

    /// What one podcast published, and what was heard of it.
    public struct Share: Sendable {
        public var podcast: Podcast
        public var episodes = 0
        /// Total length of the episodes that have one in the feed.
        public var seconds = 0.0
        /// Seconds of its episodes that were heard.
        public var heard = 0.0

        package init(podcast: Podcast) { self.podcast = podcast }
    }

    /// The stored answers of one day, UTC.
    public struct Day: Sendable {
        public var start: Timestamp
        public var fetches = 0
        public var failed = 0
        /// The median time of successful answers.
        public var milliseconds: Int?

        package init(start: Timestamp) { self.start = start }
    }

    /// The stored answers for one podcast.
    public struct Answers: Sendable {
        public var podcast: Podcast
        public var fetches: Int
        public var failed: Int
        /// The median time of successful answers.
        public var milliseconds: Int?

        package init(podcast: Podcast, fetches: Int, failed: Int, milliseconds: Int?) {
            (self.podcast, self.fetches, self.failed, self.milliseconds) = (podcast, fetches, failed, milliseconds)
        }
    }

    /// Oldest first, including empty weeks; the last is the current one.
    public var weeks: [Week]
    /// Longest first; podcasts that published nothing and were not heard are left out.
    public var shares: [Share] = []
    /// Oldest first; the last is today.
    public var days: [Day]
    /// Episodes by hour of the week, UTC: 24 for each day, Monday first.
    public var hours = [Int](repeating: 0, count: 7 * 24)
    /// Slowest first.
    public var answers: [Answers] = []

    package init(weeks: [Week], days: [Day]) { (self.weeks, self.days) = (weeks, days) }
}

/// The first record of a recording: the run's start and its program and library.
public struct RecordedRun: Sendable {
    public static let currentVersion = 1

    public var version = Self.currentVersion
    /// jimmy's version.
    public var program = ""
    /// The digest of the library before the run.
    public var library = ""
    public var bodies = RecordedBodies.feeds
    public var start: RunStart

    public init(start: RunStart) { self.start = start }
}

/// Which bodies a recording has.
public enum RecordedBodies: String, Sendable, CaseIterable {
    /// None: such a recording can be read, but not replayed.
    case none
    /// Those that were parsed: feeds, transcripts and chapters.
    case feeds
    /// Also those of error pages and redirects, as far as they were read.
    case all
}

/// The contents of a recording without its bodies.
public struct RecordingSummary: Sendable {
    public var run: RecordedRun
    /// In the order in which their fetches began.
    public var fetches: [RecordedFetch] = []
    public var batches: [RunBatch] = []
    /// False if no server had answered when the last batch was done; nil if the recording was cut off before.
    public var reachedAnyone: Bool?
    /// nil if the recording was cut off.
    public var end: RunEnd?
    /// Microseconds from the start to the last record.
    public var duration = 0
    /// Why reading stopped early; nil if it reached the end, or the cut.
    public var damage: RecordingFailure?

    public init(run: RecordedRun) { self.run = run }
}

/// One fetch of a recording.
public struct RecordedFetch: Sendable {
    public let number: UInt64
    /// The id of a podcast or an episode, or empty.
    public let subject: String
    public var hops: [RecordedHop]

    public init(number: UInt64, subject: String, hops: [RecordedHop]) {
        self.number = number
        self.subject = subject
        self.hops = hops
    }
}

/// One URL requested by a fetch.
public struct RecordedHop: Sendable {
    public let url: String
    /// Microseconds from the start of the run until the host's turn came.
    public let at: Int
    public var status: Int?
    /// Bytes of the body as they were sent.
    public var bytes = 0
    public var nanoseconds = 0
    /// True if the answer of another fetch for this URL was used.
    public var isShared = false
    public var failure: (any Error)?

    public init(url: String, at: Int) {
        self.url = url
        self.at = at
    }
}

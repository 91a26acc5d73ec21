public import Domain
import Scheduling

/// The time that a run may spend on recognising speech.
public struct TranscriptionBudget: Equatable, Sendable {
    /// nil for no bound.
    public var end: Timestamp?

    public init(end: Timestamp? = nil) { self.end = end }

    /// The earlier of both bounds.
    ///
    /// - Parameters:
    ///   - seconds: from now on.
    ///   - until: minutes after midnight in the user's time zone; the next time that it is so late.
    public init(seconds: Int64?, until: Int?, now: Timestamp, zoneOffset: Int64) {
        var ends: [Timestamp] = []
        if let seconds { ends.append(now + seconds) }
        if let until {
            let local = now.seconds + zoneOffset
            let midnight = local - (local % Self.day + Self.day) % Self.day
            let today = midnight + Int64(until) * 60
            ends.append(Timestamp(seconds: (today > local ? today : today + Self.day) - zoneOffset))
        }
        end = ends.min()
    }

    private static let day: Int64 = 86_400

    /// Whether a piece may begin: not if it would be cut off at the end.
    ///
    /// - Parameters:
    ///   - length: seconds of the piece.
    ///   - speed: seconds of audio in a second, as measured; nil if nothing was measured yet.
    public func allows(_ length: Double, speed: Double?, now: Timestamp) -> Bool {
        guard let end else { return true }
        guard now < end else { return false }
        guard let speed, speed > 0 else { return true }
        return Double(end - now) >= length / speed
    }

    /// Seconds after which a recogniser hangs.
    public static func timeout(ofPiece length: Double) -> Double { max(length * 10, 60) }
}

extension Schedule {
    /// Seconds until an episode is tried again whose recogniser failed: a day after the first failure, then twice as
    /// long each time, up to 64 days.
    static func transcriptionBackoff(failures: Int) -> Int64 { day << Int64(min(max(failures, 1) - 1, 6)) }
}

/// Which of two episodes is transcribed first: queued ones in the order of the queue, then new ones, then the others;
/// the newest first.
struct TranscriptionOrder: Comparable, Sendable {
    private let queued: Int
    private let isNew: Bool
    private let date: Timestamp
    private let id: EpisodeID

    /// - Parameter queued: its place in the queue; nil if it is not queued.
    init(_ id: EpisodeID, queued: Int?, isNew: Bool, date: Timestamp?) {
        (self.queued, self.isNew, self.date, self.id) = (queued ?? .max, isNew, date ?? .distantPast, id)
    }

    static func < (a: TranscriptionOrder, b: TranscriptionOrder) -> Bool {
        if a.queued != b.queued { return a.queued < b.queued }
        if a.isNew != b.isNew { return a.isNew }
        if a.date != b.date { return a.date > b.date }
        return a.id < b.id
    }
}

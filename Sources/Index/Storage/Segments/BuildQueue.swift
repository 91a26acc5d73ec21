internal import Domain
internal import Synchronization
internal import Threads

/// The additions of one change to the index.
struct BuildJob: Sendable {
    var id: PodcastID
    var row: SegmentPodcast
    var text: PodcastText
    /// Episodes that are new, or differ from what the index has.
    var episodes: [Episode]
    var transcripts: [EpisodeID: [TranscriptSegment]]
}

/// Deleted documents and removed podcasts.
struct Removals {
    var deletions = Deletions()
    var removed: [PodcastID] = []

    var isEmpty: Bool { deletions.isEmpty && removed.isEmpty }
}

/// The messages to the threads of `SegmentBuilders`.
final class BuildQueue: Sendable {
    enum Message {
        case build(BuildJob)
        /// The last message to a thread.
        case finish(Removals)
        case abandon
    }

    private let messages = Mutex<[Message]>([])
    private let isFilled = Semaphore()
    private let isTaken = Semaphore()

    /// Waits until all messages are taken, because waiting messages use memory.
    func send(_ new: [Message]) {
        messages.withLock { $0 += new }
        for _ in new { isFilled.signal() }
        for _ in new { isTaken.wait() }
    }

    func next() -> Message {
        isFilled.wait()
        defer { isTaken.signal() }
        return messages.withLock { $0.removeFirst() }
    }
}

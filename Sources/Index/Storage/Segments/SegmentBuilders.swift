internal import CFiles
internal import Domain
internal import Glibc
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

/// Makes segments of episodes on as many threads as there are processors, at most four. Each thread takes one job after
/// another from a queue, so that none waits for the others.
final class SegmentBuilders {
    private let builders: [SegmentBuilder]
    private let numbers: SegmentNumbers
    private let queue = BuildQueue()
    /// For merges that run meanwhile.
    let mergePause = MergePause()
    /// The number of threads that take jobs.
    private var running = 0
    private let ended = Semaphore()
    private var removals = Removals()

    /// The bytes of words of a segment, with this many builders; a word takes about two bytes. A large first fetch yields
    /// few segments, and none so small that it would be merged at once.
    private static func maxBytes(_ builders: Int) -> Int { max(3 << 20, (40 << 20) / builders) }
    /// Fewer episodes are not worth a thread.
    private static let fewEpisodes = 64

    init(_ folder: IndexFolder, _ numbers: SegmentNumbers) {
        self.numbers = numbers
        let count = min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let turns = (0..<(count + 1) / 2).map { _ in WritingTurn() }
        builders = (0..<count).map { number in
            SegmentBuilder(folder, numbers, turns[number / 2], maxBytes: Self.maxBytes(count))
        }
    }

    var isEmpty: Bool { running == 0 && removals.isEmpty && builders[0].buffer.isEmpty }

    func delete(_ document: Int, of segment: Int) { removals.deletions.insert(document, of: segment) }

    func remove(_ podcast: PodcastID) { removals.removed.append(podcast) }

    /// Adds the jobs, and waits until the last one is under way. Full segments are written.
    ///
    /// - Returns: the segments written since the last call.
    /// - Throws: `StorageError`, if a builder failed since the last call.
    func run(_ jobs: [BuildJob]) throws -> [Manifest.Entry] {
        if running == 0, areWorthThreads(jobs) { start() }
        if running > 0 {
            queue.send(jobs.map { .build($0) })
        } else {
            builders[0].attempt { builder in for job in jobs { try builder.add(job) } }
        }
        return try takeWritten()
    }

    /// False for few episodes, and for a podcast alone, which only one thread can take.
    private func areWorthThreads(_ jobs: [BuildJob]) -> Bool {
        jobs.reduce(0) { $0 + $1.episodes.count } >= Self.fewEpisodes && (jobs.count > 1 || !builders[0].buffer.isEmpty)
    }

    /// Writes everything not written yet.
    func finish() throws -> [Manifest.Entry] {
        defer { removals = Removals() }
        if running > 0 {
            end(.finish(removals))
        } else {
            builders[0].attempt { try $0.finish(removals) }
        }
        return try takeWritten()
    }

    /// Waits until no thread writes any more. Everything not written yet is dropped.
    func abandon() { end(.abandon) }

    private func takeWritten() throws -> [Manifest.Entry] {
        try builders.flatMap { try $0.takeWritten() }.sorted { $0.number < $1.number }
    }

    /// If the system cannot start any thread, the caller's thread does the work.
    private func start() {
        for builder in builders {
            let work: @Sendable () -> Void = { [queue, mergePause, ended] in
                builder.run(queue, mergePause)
                ended.signal()
            }
            guard (try? startThread(for: .indexing, work)) != nil else { return }
            running += 1
        }
    }

    /// - Parameter last: the last message of the first thread. The other threads have no removals to write.
    private func end(_ last: BuildQueue.Message) {
        guard running > 0 else { return }
        mergePause.end()
        let others: BuildQueue.Message = if case .finish = last { .finish(Removals()) } else { last }
        queue.send([last] + [BuildQueue.Message](repeating: others, count: running - 1))
        for _ in 0..<running { ended.wait() }
        running = 0
    }
}

/// Deleted documents and removed podcasts.
private struct Removals {
    var deletions = Deletions()
    var removed: [PodcastID] = []

    var isEmpty: Bool { deletions.isEmpty && removed.isEmpty }
}

/// Hands out the numbers of new segments.
final class SegmentNumbers: Sendable {
    private let first: Atomic<Int>

    init(next: Int) { first = Atomic(next) }

    var next: Int { first.load(ordering: .relaxed) }

    func take() -> Int { first.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// The messages to the threads of `SegmentBuilders`.
private final class BuildQueue: Sendable {
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

/// Lets one of two builders write a segment at a time, so that only one needs the memory for writing.
private final class WritingTurn: Sendable {
    let lock = Mutex(())
    /// Bytes of words that both hold.
    let size = Atomic(0)
}

/// Makes one segment after another.
///
/// Unchecked because only one thread at a time uses the properties other than `result`: the one in `run`, or the owner
/// of `SegmentBuilders` while `run` is not under way.
private final class SegmentBuilder: @unchecked Sendable {
    private(set) var buffer: SegmentBuffer
    private let folder: IndexFolder
    private let numbers: SegmentNumbers
    private let turn: WritingTurn
    private let maxBytes: Int
    private var text = IndexedText()
    private let stemmer = Stemmer()
    private let result = Mutex<Result<[Manifest.Entry], any Error>>(.success([]))

    init(_ folder: IndexFolder, _ numbers: SegmentNumbers, _ turn: WritingTurn, maxBytes: Int) {
        self.folder = folder
        self.numbers = numbers
        self.turn = turn
        self.maxBytes = maxBytes
        buffer = SegmentBuffer(maxBytes: maxBytes, stemmer)
    }

    /// Handles messages until the last one.
    func run(_ queue: BuildQueue, _ mergePause: MergePause) {
        while true {
            // By the time a merge begins, both builders may have begun their next segments.
            if buffer.size < maxBytes / 4 { mergePause.waitIfMerging() }
            switch queue.next() {
            case .build(let job): attempt { try $0.add(job) }
            case .finish(let removals): return attempt { try $0.finish(removals) }
            case .abandon: return
            }
        }
    }

    /// Does nothing after a failure until `takeWritten` has thrown it.
    func attempt(_ work: (SegmentBuilder) throws -> Void) {
        guard case .success = result.withLock({ $0 }) else { return }
        do { try work(self) } catch { result.withLock { $0 = .failure(error) } }
    }

    func takeWritten() throws -> [Manifest.Entry] {
        try result.withLock { result in
            defer { result = .success([]) }
            return try result.get()
        }
    }

    func add(_ job: BuildJob) throws {
        buffer.set(job.row, of: job.id)
        let before = buffer.size
        for episode in job.episodes { add(episode, of: job.text, job.transcripts[episode.id] ?? []) }
        let both = turn.size.wrappingAdd(buffer.size - before, ordering: .relaxed).newValue
        if isFull(both) { try writeInTurn() }
    }

    /// The larger of two segments is full a little earlier, so that they do not become full at the same time.
    private func isFull(_ both: Int) -> Bool {
        buffer.size >= maxBytes || both >= maxBytes + maxBytes / 4 && buffer.size >= both / 2
    }

    /// Not inlined, because the loop would copy each episode.
    @inline(never) private func add(_ episode: Episode, of podcast: PodcastText, _ transcript: [TranscriptSegment]) {
        let digest = IndexedText.digest(of: episode, of: podcast, transcript: transcript)
        text.fill(episode, of: podcast, transcript: transcript)
        buffer.add(episode, &text, digest: digest)
    }

    func finish(_ removals: Removals) throws {
        buffer.delete(removals.deletions)
        for podcast in removals.removed { buffer.set(SegmentPodcast(isRemoved: true), of: podcast) }
        if !buffer.isEmpty { try write() }
    }

    /// Writes the segment unless the other builder is writing. Then a fourth more fits into this one before it waits.
    private func writeInTurn() throws {
        let isWritten = try turn.lock.withLockIfAvailable { _ in try writeFull() } != nil
        if isWritten || buffer.size < maxBytes + maxBytes / 4 { return }
        try turn.lock.withLock { _ in try writeFull() }
    }

    /// Writing takes the most memory. malloc keeps what earlier feeds left free between other blocks unless it is asked to
    /// give it back.
    private func writeFull() throws {
        malloc_trim(0)
        try write()
    }

    private func write() throws {
        let number = numbers.take()
        let size = buffer.size
        let entry = Manifest.Entry(number: number, size: try buffer.write(to: folder.path(of: number)))
        result.withLock { $0 = $0.map { $0 + [entry] } }
        buffer = SegmentBuffer(maxBytes: maxBytes, stemmer)
        turn.size.wrappingSubtract(size, ordering: .relaxed)
    }
}

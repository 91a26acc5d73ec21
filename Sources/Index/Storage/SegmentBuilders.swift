internal import Domain
internal import Glibc
internal import Synchronization
internal import Threads

/// What one change adds to the index.
struct BuildJob: Sendable {
    var id: PodcastID
    var row: PodcastRow
    var text: PodcastText
    /// Those that are new, or differ from what the index has.
    var episodes: [Episode]
    var transcripts: [EpisodeID: [TranscriptSegment]]
}

/// Makes segments of episodes, on as many threads as there are processors: each takes one job after another from a queue,
/// so that none waits for the others.
final class SegmentBuilders {
    private let builders: [SegmentBuilder]
    private let numbers: SegmentNumbers
    private let queue = BuildQueue()
    /// Threads that take jobs.
    private var running = 0
    private let ended = Semaphore()
    private var rest = BuildRest()

    /// Of the words of all segments that are being built, which take about two bytes each. A large first fetch becomes few
    /// segments, which need not be merged at once; less makes it slower, and takes hardly less memory.
    private static let mostBytes = 24 << 20
    /// Fewer episodes are not worth a thread.
    private static let fewEpisodes = 64

    init(_ folder: IndexFolder, _ numbers: SegmentNumbers) {
        self.numbers = numbers
        let count = min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        builders = (0..<count).map { _ in SegmentBuilder(folder, numbers, mostBytes: Self.mostBytes / count) }
    }

    var isEmpty: Bool { running == 0 && rest.isEmpty && builders[0].buffer.isEmpty }

    func delete(_ document: Int, of segment: Int) { rest.deletions.append((segment, document)) }

    func remove(_ podcast: PodcastID) { rest.removed.append(podcast) }

    /// Adds the jobs, and waits until the last is under way; segments that are full are written.
    ///
    /// - Returns: the segments that were written since the last call.
    /// - Throws: what a builder met since then: `StorageError`.
    func run(_ jobs: [BuildJob]) throws -> [Manifest.Entry] {
        let isSmall = jobs.count < 2 || jobs.reduce(0) { $0 + $1.episodes.count } < Self.fewEpisodes
        if running == 0, !isSmall { start() }
        if running > 0 {
            queue.send(jobs.map { .build($0) })
        } else {
            builders[0].attempt { builder in for job in jobs { try builder.add(job) } }
        }
        return try takeWritten()
    }

    /// Writes all that is left.
    func finish() throws -> [Manifest.Entry] {
        defer { rest = BuildRest() }
        if running > 0 {
            end(.finish(rest))
        } else {
            builders[0].attempt { try $0.finish(rest) }
        }
        return try takeWritten()
    }

    /// Waits until no thread writes any more. What is left unwritten is forgotten.
    func abandon() { end(.abandon) }

    private func takeWritten() throws -> [Manifest.Entry] {
        try builders.flatMap { try $0.takeWritten() }.sorted { $0.number < $1.number }
    }

    /// If the system has no thread left, this one does the work.
    private func start() {
        for builder in builders {
            let work: @Sendable () -> Void = { [queue, ended] in
                builder.run(queue)
                ended.signal()
            }
            guard (try? startThread(for: .indexing, work)) != nil else { return }
            running += 1
        }
    }

    /// - Parameter last: what the first thread does at its end; the others have no rest to write.
    private func end(_ last: BuildQueue.Message) {
        guard running > 0 else { return }
        let others: BuildQueue.Message = if case .finish = last { .finish(BuildRest()) } else { last }
        queue.send([last] + [BuildQueue.Message](repeating: others, count: running - 1))
        for _ in 0..<running { ended.wait() }
        running = 0
    }
}

/// What is not about one episode.
private struct BuildRest {
    var deletions: [(segment: Int, document: Int)] = []
    var removed: [PodcastID] = []

    var isEmpty: Bool { deletions.isEmpty && removed.isEmpty }
}

/// The numbers of new segments.
final class SegmentNumbers: Sendable {
    private let first: Atomic<Int>

    init(next: Int) { first = Atomic(next) }

    var next: Int { first.load(ordering: .relaxed) }

    func take() -> Int { first.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// What the threads of `SegmentBuilders` have to do next.
private final class BuildQueue: Sendable {
    enum Message {
        case build(BuildJob)
        /// Nothing comes after it.
        case finish(BuildRest)
        case abandon
    }

    private let messages = Mutex<[Message]>([])
    private let isFilled = Semaphore()
    private let isTaken = Semaphore()

    /// Waits until all were taken: what waits takes memory.
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

/// Makes one segment after another.
///
/// Unchecked because one thread at a time uses all but `result`: that of `run`, or the one that owns `SegmentBuilders` while
/// `run` is not under way.
private final class SegmentBuilder: @unchecked Sendable {
    private(set) var buffer: SegmentBuffer
    private let folder: IndexFolder
    private let numbers: SegmentNumbers
    private let mostBytes: Int
    private var text = IndexedText()
    private let result = Mutex<Result<[Manifest.Entry], any Error>>(.success([]))

    init(_ folder: IndexFolder, _ numbers: SegmentNumbers, mostBytes: Int) {
        self.folder = folder
        self.numbers = numbers
        self.mostBytes = mostBytes
        buffer = SegmentBuffer(mostBytes: mostBytes)
    }

    /// Does what the queue says, to its end.
    func run(_ queue: BuildQueue) {
        while true {
            switch queue.next() {
            case .build(let job): attempt { try $0.add(job) }
            case .finish(let rest): return attempt { try $0.finish(rest) }
            case .abandon: return
            }
        }
    }

    /// After a failure nothing more is done until it was told.
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
        for episode in job.episodes { add(episode, of: job.text, job.transcripts[episode.id] ?? []) }
        if buffer.isFull { try write() }
    }

    /// Not inlined: the loop would copy each episode.
    @inline(never) private func add(_ episode: Episode, of podcast: PodcastText, _ transcript: [TranscriptSegment]) {
        let digest = IndexedText.digest(of: episode, of: podcast, transcript: transcript)
        text.fill(episode, of: podcast, transcript: transcript)
        buffer.add(episode, &text, digest: digest)
    }

    func finish(_ rest: BuildRest) throws {
        for (segment, document) in rest.deletions { buffer.delete(document, of: segment) }
        for podcast in rest.removed { buffer.set(PodcastRow(isRemoved: true), of: podcast) }
        if !buffer.isEmpty { try write() }
    }

    private func write() throws {
        let number = numbers.take()
        let entry = Manifest.Entry(number: number, size: try buffer.write(to: folder.path(of: number)))
        result.withLock { $0 = $0.map { $0 + [entry] } }
        if buffer.isOverfull { buffer = SegmentBuffer(mostBytes: mostBytes) } else { buffer.removeAll() }
    }
}

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

/// Makes segments of episodes, on as many threads as there are processors.
final class SegmentBuilders {
    private let builders: [SegmentBuilder]

    /// Of the words of all segments that are being built, which take about two bytes each; their terms take as much again.
    private static let mostBytes = 6 << 20
    /// Fewer episodes are not worth a thread.
    private static let fewEpisodes = 64

    init(_ folder: IndexFolder) {
        let count = min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        builders = (0..<count).map { _ in SegmentBuilder(folder, mostBytes: Self.mostBytes / count) }
    }

    /// What is not about one episode goes to the first.
    var first: SegmentBuffer { builders[0].buffer }

    var isEmpty: Bool { builders.allSatisfy(\.buffer.isEmpty) }

    /// Adds the jobs; segments that are full are written.
    ///
    /// - Parameter number: of the next segment.
    /// - Returns: the segments that were written, by their numbers.
    func run(_ jobs: [BuildJob], number: inout Int) throws -> [Manifest.Entry] {
        let isSmall = jobs.count < 2 || jobs.reduce(0) { $0 + $1.episodes.count } < Self.fewEpisodes
        return try share(isSmall ? 1 : builders.count, number: &number) { builder, numbers in
            while let next = numbers.takeJob(of: jobs.count) { try builder.add(jobs[next], numbers) }
        }
    }

    /// Writes all that is left.
    func finish(number: inout Int) throws -> [Manifest.Entry] {
        let isSmall = builders.dropFirst().allSatisfy(\.buffer.isEmpty)
        return try share(isSmall ? 1 : builders.count, number: &number) { builder, numbers in
            if !builder.buffer.isEmpty { try builder.write(numbers) }
        }
    }

    /// Runs the work for some of the builders, each on a thread of its own; this thread is one of them.
    private func share(
        _ count: Int, number: inout Int, _ work: @escaping @Sendable (SegmentBuilder, Numbers) throws -> Void
    ) throws -> [Manifest.Entry] {
        let numbers = Numbers(segment: number)
        let done = Semaphore()
        var started = 0
        for builder in builders.prefix(count).dropFirst() {
            do {
                try startThread(for: .indexing) {
                    builder.attempt { try work(builder, numbers) }
                    done.signal()
                }
                started += 1
            } catch {
                builder.attempt { try work(builder, numbers) }
            }
        }
        builders[0].attempt { try work(builders[0], numbers) }
        for _ in 0..<started { done.wait() }
        number = numbers.segment.load(ordering: .relaxed)
        return try builders.flatMap { try $0.takeWritten() }.sorted { $0.number < $1.number }
    }

    /// Numbers that several threads take.
    fileprivate final class Numbers: Sendable {
        let segment: Atomic<Int>
        private let job = Atomic(0)

        init(segment: Int) { self.segment = Atomic(segment) }

        func takeSegment() -> Int { segment.wrappingAdd(1, ordering: .relaxed).oldValue }

        func takeJob(of count: Int) -> Int? {
            let next = job.wrappingAdd(1, ordering: .relaxed).oldValue
            return next < count ? next : nil
        }
    }
}

/// Makes one segment after another.
///
/// Unchecked because `SegmentBuilders` lets one thread at a time use it, and waits for that thread before it uses it again.
private final class SegmentBuilder: @unchecked Sendable {
    private(set) var buffer: SegmentBuffer
    private let folder: IndexFolder
    private let mostBytes: Int
    private var text = IndexedText()
    private var written: [Manifest.Entry] = []
    private var failure: (any Error)?

    init(_ folder: IndexFolder, mostBytes: Int) {
        self.folder = folder
        self.mostBytes = mostBytes
        buffer = SegmentBuffer(mostBytes: mostBytes)
    }

    func attempt(_ work: () throws -> Void) {
        do { try work() } catch { failure = error }
    }

    func add(_ job: BuildJob, _ numbers: SegmentBuilders.Numbers) throws {
        buffer.set(job.row, of: job.id)
        for episode in job.episodes { add(episode, of: job.text, job.transcripts[episode.id] ?? []) }
        if buffer.isFull { try write(numbers) }
    }

    /// Not inlined: the loop would copy each episode.
    @inline(never) private func add(_ episode: Episode, of podcast: PodcastText, _ transcript: [TranscriptSegment]) {
        let digest = IndexedText.digest(of: episode, of: podcast, transcript: transcript)
        text.fill(episode, of: podcast, transcript: transcript)
        buffer.add(episode, &text, digest: digest)
    }

    func write(_ numbers: SegmentBuilders.Numbers) throws {
        let number = numbers.takeSegment()
        written.append(Manifest.Entry(number: number, size: try buffer.write(to: folder.path(of: number))))
        if buffer.isOverfull { forget() } else { buffer.removeAll() }
    }

    func forget() { buffer = SegmentBuffer(mostBytes: mostBytes) }

    func takeWritten() throws -> [Manifest.Entry] {
        defer { (written, failure) = ([], nil) }
        if let failure { throw failure }
        return written
    }
}

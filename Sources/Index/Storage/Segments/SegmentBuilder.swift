internal import CFiles
internal import Domain
internal import Synchronization

/// Lets one of two builders write a segment at a time, so that only one needs the memory for writing.
final class WritingTurn: Sendable {
    let lock = Mutex(())
    /// Bytes of words that both hold.
    let size = Atomic(0)
}

/// Makes one segment after another.
///
/// Unchecked because only one thread at a time uses the properties other than `result`: the one in `run`, or the owner
/// of `SegmentBuilders` while `run` is not under way.
final class SegmentBuilder: @unchecked Sendable {
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
        let (size, terms) = (buffer.size, buffer.termCount)
        let entry = Manifest.Entry(number: number, size: try buffer.write(to: folder.path(of: number)))
        result.withLock { $0 = $0.map { $0 + [entry] } }
        // The next segment has about as many.
        buffer = SegmentBuffer(maxBytes: maxBytes, expecting: terms, stemmer)
        turn.size.wrappingSubtract(size, ordering: .relaxed)
    }
}

/// Hands out the numbers of new segments.
final class SegmentNumbers: Sendable {
    private let first: Atomic<Int>

    init(next: Int) { first = Atomic(next) }

    var next: Int { first.load(ordering: .relaxed) }

    func take() -> Int { first.wrappingAdd(1, ordering: .relaxed).oldValue }
}

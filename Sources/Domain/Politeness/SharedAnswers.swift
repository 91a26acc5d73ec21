import Synchronization

/// The URLs requested in one run, each with the visit that claimed it first.
public final class SharedURLs: Sendable {
    private struct State {
        var owners: [String: UInt64] = [:]
        /// The URLs of each visit: its own, and those its redirects lead to.
        var urls: [UInt64: [String]] = [:]
    }

    private let state = Mutex(State())

    /// False if another visit has claimed the URL.
    func claim(_ url: String, for visit: UInt64) -> Bool {
        state.withLock { state in
            if let owner = state.owners[url] { return owner == visit }
            state.owners[url] = visit
            state.urls[visit, default: []].append(url)
            return true
        }
    }

    func owner(of url: String) -> UInt64? { state.withLock { $0.owners[url] } }

    /// Releases the visit's URLs, so that they can be requested again.
    func forget(_ visit: UInt64) {
        state.withLock { state in
            for url in state.urls.removeValue(forKey: visit) ?? [] { state.owners[url] = nil }
        }
    }
}

/// The answers of one run, shared so that a URL is requested once even if several podcasts lead to it.
///
/// The visit that claims a URL first requests it and publishes the answer for later ones. Answers are kept while they
/// fit into a small memory; a URL whose answer was dropped is requested again.
package final class SharedAnswers<Answer: Sendable>: Sendable {
    /// Approximate size in bytes of the answers kept for sharing, and their number.
    private static var memory: Int { 1 << 20 }
    private static var maxAnswers: Int { 256 }
    /// Size of an answer that is kept only if another visit is waiting for it.
    private static var large: Int { 8 << 20 }

    private struct State {
        var answers: [UInt64: (answer: Answer, size: Int)] = [:]
        /// Visits whose answers are kept, oldest first.
        var remembered: [UInt64] = []
        var size = 0
        /// The tasks that wait for each visit's answer, and the visits that are waiting themselves.
        var waiters: [UInt64: [CheckedContinuation<Void, Never>]] = [:]
        var waiting: Set<UInt64> = []
    }

    package let urls = SharedURLs()
    /// In a replay, the visits whose answers were shared; otherwise nil, and the newest answers are kept.
    private let remembered: Set<UInt64>?
    private let state = Mutex(State())

    package init(remembering visits: Set<UInt64>? = nil) { remembered = visits }

    /// Waits for another visit's answer at `url`. nil if this visit must request it itself: because the other one is
    /// waiting too (their redirects form a circle), or because the answer was dropped.
    package func answer(at url: String, for visit: Visit) async -> (answer: Answer, owner: UInt64)? {
        guard let owner = urls.owner(of: url), owner != visit.number else { return nil }
        let number = visit.number
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard state.answers[owner] == nil, !state.waiting.contains(owner), urls.owner(of: url) == owner else {
                    return false
                }
                state.waiting.insert(number)
                state.waiters[owner, default: []].append(continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
        return state.withLock { state in
            state.waiting.remove(number)
            return state.answers[owner].map { ($0.answer, owner) }
        }
    }

    /// The visit's answer; nil if it has not ended or if the answer was dropped.
    package func published(by visit: UInt64) -> Answer? { state.withLock { $0.answers[visit]?.answer } }

    /// Ends the visit with this answer for all its URLs.
    package func publish(_ answer: Answer, size: Int, for visit: Visit) {
        let number = visit.number
        if let remembered, !remembered.contains(number) { return }
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if remembered == nil, size > Self.large, state.waiters[number] == nil {
                urls.forget(number)
                return []
            }
            state.answers[number] = (answer, size)
            state.remembered.append(number)
            state.size += size
            // The newest stays, whatever its size: another fetch may be waiting for it.
            while remembered == nil, state.remembered.count > 1,
                state.size > Self.memory || state.remembered.count > Self.maxAnswers
            {
                let oldest = state.remembered.removeFirst()
                state.size -= state.answers.removeValue(forKey: oldest)?.size ?? 0
                urls.forget(oldest)
            }
            return state.waiters.removeValue(forKey: number) ?? []
        }
        waiters.forEach { $0.resume() }
    }
}

/// The answers of one run by their URLs, so that a URL is asked once though several podcasts lead to it.
///
/// Who claims a URL first asks it, and publishes the answer for all who come after. Answers are remembered as far as
/// they fit into a small memory; a URL that was forgotten is asked again.
actor SharedAnswers {
    /// One fetch with the URLs it asks: its own, and those its redirects lead to.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: Int
    }

    struct Published: Sendable {
        var result: Result<FeedAnswer, any Error>
        /// What those who asked had before: a 304 says only that it is still so.
        var before: ContentDigest?
    }

    private enum Entry {
        case asked(by: Ticket)
        case published(Published)
    }

    /// Bytes of feeds, about, and answers that are remembered.
    private static let memory = 1 << 20
    private static let memorySize = 256

    private var entries: [String: Entry] = [:]
    private var claims: [Ticket: [String]] = [:]
    /// Who waits for a ticket's answer, and which tickets wait themselves.
    private var waiters: [Ticket: [CheckedContinuation<Void, Never>]] = [:]
    private var waiting: Set<Ticket> = []
    private var remembered: [(url: String, weight: Int)] = []
    private var weight = 0
    private var count = 0

    func ticket() -> Ticket {
        count += 1
        return Ticket(number: count)
    }

    /// Whether this fetch is the one that asks `url`.
    func claim(_ url: String, for ticket: Ticket) -> Bool {
        guard entries[url] == nil else { return false }
        entries[url] = .asked(by: ticket)
        claims[ticket, default: []].append(url)
        return true
    }

    /// What another fetch was told at `url`; waits for it. nil where this one must ask for itself: the other one waits
    /// too (their redirects lead in a circle), or the answer was forgotten.
    func answer(at url: String, for ticket: Ticket) async -> Published? {
        if case .asked(let owner) = entries[url] {
            guard owner != ticket, !waiting.contains(owner) else { return nil }
            waiting.insert(ticket)
            await withCheckedContinuation { waiters[owner, default: []].append($0) }
            waiting.remove(ticket)
        }
        guard case .published(let published) = entries[url] else { return nil }
        return published
    }

    /// Ends the ticket: all its URLs have this answer.
    func publish(_ published: Published, for ticket: Ticket) {
        var size = 0
        if case .success(let answer) = published.result { size = answer.size }
        for url in claims.removeValue(forKey: ticket) ?? [] {
            entries[url] = .published(published)
            remembered.append((url, size))
            weight += size
        }
        for waiter in waiters.removeValue(forKey: ticket) ?? [] { waiter.resume() }
        // The newest stays, whatever its size: somebody may be waiting for it.
        while remembered.count > 1, weight > Self.memory || remembered.count > Self.memorySize {
            let oldest = remembered.removeFirst()
            weight -= oldest.weight
            entries[oldest.url] = nil
        }
    }
}

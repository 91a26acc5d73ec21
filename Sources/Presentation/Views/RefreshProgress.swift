import Addresses
public import Domain
public import Results

/// The progress of a refresh: feeds done and in total, hosts being asked, new episodes so far, time left.
public struct RefreshProgress: Sendable {
    private let startedAt: Timestamp
    private var total = 0
    private var done = 0
    private var added = 0
    private var failed = 0
    private var transcripts: (text: EpisodeText, done: Int, total: Int)?
    /// Podcasts in progress, in the order in which they began.
    private var underWay: [(id: PodcastID, host: String)] = []

    public init(startedAt: Timestamp) { self.startedAt = startedAt }

    public mutating func follow(_ event: RefreshEvent) {
        switch event {
        case .planned(let count): total = count
        case .started(let podcast): underWay.append((podcast.id, WebURL(podcast.feedURL)?.host ?? podcast.feedURL))
        case .finished(let outcome):
            guard outcome.kind != .skipped else { return }
            done += 1
            added += outcome.added.count
            if outcome.kind == .failed { failed += 1 }
            underWay.removeAll { $0.id == outcome.podcast.id }
        case .transcripts(let text, let done, let total): transcripts = (text, done, total)
        case .skipped, .leased, .indexFailed: break
        }
    }

    /// `[#####-----] 412/812 37 new 2 failed 20/s about 20 s left waiting for feeds.example.com, …`
    public func line(width: Int, now: Timestamp) -> String {
        if let (text, done, total) = transcripts {
            return "\(text == .transcript ? "Transcripts" : "Chapters"): \(done) of \(total)"
        }
        guard total > 0 else { return "" }
        let filled = min(done * 20 / total, 20)
        var parts = [
            "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled) + "] \(done)/\(total)"
        ]
        if added > 0 { parts.append("\(added) new") }
        if failed > 0 { parts.append("\(failed) failed") }
        let elapsed = now - startedAt
        if elapsed >= 2 && done > 0 && done < total {
            parts.append("\(max(1, Int64(done) / elapsed))/s")
            parts.append("about \(span(max(1, elapsed * Int64(total - done) / Int64(done)))) left")
        }
        var hosts: [String] = []
        for (_, host) in underWay where !hosts.contains(host) && hosts.count < 3 { hosts.append(host) }
        if !hosts.isEmpty { parts.append("waiting for " + hosts.joined(separator: ", ")) }
        return parts.joined(separator: " ").oneLine.truncated(to: width - 1)
    }
}

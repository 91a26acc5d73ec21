import Domain

/// The ids of version 1 had 40 bits: the first eight characters of today's ids.
extension PodcastID {
    static let shortLength = 8

    /// True for an id of version 1.
    var isShort: Bool { text.utf8.count <= Self.shortLength }

    /// Today's id of a podcast of version 1: the one that its first feed URL gives, if that is among `feedURLs`.
    func lengthened(feedURLs: [String]) -> PodcastID {
        let candidates = feedURLs.lazy.flatMap { url in attempts.lazy.map { PodcastID(feedURL: url, attempt: $0) } }
        return candidates.first { $0.text.hasPrefix(text) }
            ?? PodcastID(text: text + PodcastID(feedURL: text).text.suffix(addedLength))
    }
}

extension EpisodeID {
    var isShort: Bool { ownText.utf8.count <= PodcastID.shortLength }

    /// Today's id of an episode of version 1: the one that its identity gives, if that has not changed since.
    func lengthened(in podcast: PodcastID, identity: String) -> EpisodeID {
        let candidates = attempts.lazy.map { EpisodeID(podcast: podcast, identity: identity, attempt: $0) }
        return candidates.first { $0.ownText.hasPrefix(ownText) } ?? lengthened(in: podcast)
    }

    func lengthened(in podcast: PodcastID) -> EpisodeID {
        let added = EpisodeID(podcast: podcast, identity: text).ownText.suffix(addedLength)
        return EpisodeID(text: "\(podcast)-\(ownText)\(added)") ?? self
    }
}

private let addedLength = 5
/// Counters that version 1 may have added when two ids collided.
private let attempts = 0..<4

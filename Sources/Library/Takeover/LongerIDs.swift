import Domain

/// The ids of version 1 had 40 bits, which are the first eight characters of today's.
extension PodcastID {
    static let shortLength = 8

    /// Whether it is one of version 1.
    var isShort: Bool { text.utf8.count <= Self.shortLength }

    /// Today's id of a podcast of version 1: the one that its first feed URL has, if that is known.
    func lengthened(feedURLs: [String]) -> PodcastID {
        let candidates = feedURLs.lazy.flatMap { url in attempts.lazy.map { PodcastID(feedURL: url, attempt: $0) } }
        return candidates.first { $0.text.hasPrefix(text) }
            ?? PodcastID(text: text + PodcastID(feedURL: text).text.suffix(addedLength))
    }
}

extension EpisodeID {
    var isShort: Bool { ownText.utf8.count <= PodcastID.shortLength }

    /// Today's id of an episode of version 1: the one that its identity has, if that is still what it was at first.
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
/// Counters that version 1 may have added where two ids met.
private let attempts = 0..<4

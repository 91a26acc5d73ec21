import Domain

/// Chooses which episode of a podcast to play.
enum NextEpisode {
    /// The episode in progress that was heard last; otherwise the next unheard one, which is the oldest of a serial
    /// podcast and the newest of any other. nil if nothing remains.
    ///
    /// - Parameters:
    ///   - episodes: all of one podcast, in the order in which they are stored.
    ///   - isSerial: true if the feed's `itunes:type` is `serial`.
    ///   - positions: of unfinished episodes.
    static func choose(
        among episodes: [Episode], isSerial: Bool, positions: [EpisodeID: PlayPosition], tags: [EpisodeID: Set<Tag>]
    ) -> Episode? {
        let unheard = episodes.enumerated().filter { _, episode in
            episode.item.chosenEnclosure != nil && (tags[episode.id] ?? []).isDisjoint(with: [.played, .archived])
        }
        let begun = unheard.compactMap { place, episode in
            positions[episode.id].map { (at: $0.at, order: EpisodeOrder(episode, place: place), episode: episode) }
        }
        if let latest = begun.max(by: { ($0.at, $0.order) < ($1.at, $1.order) }) { return latest.episode }
        // The file of a withdrawn episode is probably gone.
        let ordered = unheard.filter { !$0.element.isWithdrawn }.map { (EpisodeOrder($0.element, place: $0.offset), $0.element) }
        return ordered.min { EpisodeOrder.precedes($0.0, $1.0, oldestFirst: isSerial) }?.1
    }
}

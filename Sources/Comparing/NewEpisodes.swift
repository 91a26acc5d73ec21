package import Domain

/// Decides which added episodes are new to the owner.
package enum NewEpisodes {
    /// - Parameters:
    ///   - podcast: as it was before the fetch.
    ///   - limit: how many episodes of a first fetch are new; the newest by publication date.
    package static func among(_ added: [Episode], of podcast: Podcast, onFirstFetch limit: Int) -> [EpisodeID] {
        guard let lastSuccessAt = podcast.fetch.lastSuccessAt else {
            guard limit > 0 else { return [] }
            // Episodes without dates are in the feed's order: its first item comes last in `added`.
            return added.enumerated().sorted { a, b in
                let (first, second) = (a.element.orderedAt ?? .distantPast, b.element.orderedAt ?? .distantPast)
                return (first, a.offset) > (second, b.offset)
            }.prefix(limit).map(\.element.id)
        }
        guard podcast.fetch.isRestoring else { return added.map(\.id) }
        return added.filter { ($0.item.publishedAt ?? .distantPast) > lastSuccessAt }.map(\.id)
    }
}

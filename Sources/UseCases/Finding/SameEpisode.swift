import Domain

/// Equal for copies of one episode, since networks list an episode in several of their feeds.
struct SameEpisode: Hashable, Sendable {
    private let guid: String
    private let enclosureURL: String

    /// nil if the item has no guid or no enclosure.
    init?(_ item: Item) {
        guard let guid = item.guid, !guid.isEmpty, let url = item.enclosures.first?.url, !url.isEmpty else { return nil }
        self.guid = guid
        enclosureURL = url
    }
}

import Addresses
public import Domain

/// What can be shown to others about an episode, on one line of JSON.
public struct SharedEpisodeView: View {
    private let listed: ListedEpisode

    public init(_ listed: ListedEpisode) { self.listed = listed }

    public func lines(for display: Display) -> [String] { [jsonLine(Row(listed: listed))] }
    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(listed: listed))) }

    private struct Row: Fields {
        let listed: ListedEpisode

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            let item = listed.episode.item
            visitor.text("title", item.title?.oneLine ?? "(no title)")
            visitor.text("podcast", listed.podcast.displayTitle.oneLine)
            visitor.text("link", shown(item.link))
            visitor.text("media", shown(item.chosenEnclosure?.url))
            visitor.flag("downloaded", listed.tags.contains(.downloaded))
        }

        /// nil for the address of a private feed, or one with a key in it.
        private func shown(_ url: String?) -> String? {
            guard listed.podcast.credentials == nil, !PrivateURL.isLikely(listed.podcast.feedURL) else { return nil }
            guard let url = url.flatMap({ WebURL($0) })?.text, !PrivateURL.isLikely(url) else { return nil }
            return url
        }
    }
}

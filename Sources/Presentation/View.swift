public import Domain
import JSON

/// A result in its two forms: for people (and plain for pipes), and as JSON.
public protocol View: Sendable {
    func lines(for display: Display) -> [String]
    /// What has to be known of ids before they can be shortened: those that `lines` shows.
    var podcastIDs: [PodcastID] { get }
    var episodeIDs: [EpisodeID] { get }
    /// One object a line, in the order of the text.
    func jsonLines(_ emit: (String) -> Void)
}

extension View {
    public var podcastIDs: [PodcastID] { [] }
    public var episodeIDs: [EpisodeID] { [] }
}

/// One value as one line of JSON.
func jsonLine(_ fields: some Fields) -> String {
    var json = JSONWriter()
    json.value(fields)
    return json.text
}

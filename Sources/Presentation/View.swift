public import Domain
import JSON

/// A result in its two forms: text, for people and for pipes, and JSON.
public protocol View: Sendable {
    func lines(for display: Display) -> [String]
    /// The ids in `lines`, whose unique lengths must be known before they can be shortened.
    var podcastIDs: [PodcastID] { get }
    var episodeIDs: [EpisodeID] { get }
    /// One object per line, in the order of the text.
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

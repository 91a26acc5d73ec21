public import Domain

/// The removed podcasts, with their feed URLs, so that nothing is lost for good.
public struct UnsubscribeView: View {
    let podcasts: [Podcast]

    public init(_ podcasts: [Podcast]) { self.podcasts = podcasts }

    public func lines(for display: Display) -> [String] {
        guard display.isTerminal else { return PodcastListView(podcasts).lines(for: display) }
        return podcasts.flatMap { podcast in
            display.fitted("Unsubscribed from \(display.styled(podcast.displayTitle.oneLine, .bold)).") + ["  \(podcast.feedURL)"]
        }
    }

    public func jsonLines(_ emit: (String) -> Void) { PodcastListView(podcasts).jsonLines(emit) }
}

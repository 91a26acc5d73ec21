public import Domain

/// Wording of the play queue's commands.
public enum QueueWording {
    public static let isEmpty = "The queue is empty; 'jimmy queue add EPISODE' adds to it."

    public static func alreadyQueued(_ count: Int) -> String { counted(count, "episode") + " already queued." }
    public static func removed(_ listed: ListedEpisode) -> String { "Removed from the queue: \(title(listed))" }
    public static func moved(_ listed: ListedEpisode, to position: Int) -> String {
        "Now at position \(position): \(title(listed))"
    }
    public static func leftOut(podcasts: Int) -> String {
        "\(counted(podcasts, "podcast")) on standard input left out; '-' takes episodes."
    }
    public static func cleared(_ count: Int) -> String { counted(count, "episode") + " removed from the queue." }

    private static func title(_ listed: ListedEpisode) -> String { (listed.episode.item.title ?? "(no title)").oneLine }
}

extension FailureLine {
    public static func unsubscribed(_ id: EpisodeID) -> FailureLine {
        FailureLine(
            id.text, "you unsubscribed from its podcast", status: .notFound,
            advice: "'jimmy subscribe URL' brings it back; 'jimmy show' still shows it")
    }
    /// An id on standard input that names no episode.
    public static func unknownID(_ text: String, others: Int) -> FailureLine {
        FailureLine(
            text, others == 0 ? "no such episode" : "no such episode, nor \(grouped(others)) more", status: .notFound,
            advice: "nothing was done; '-' reads an id at the start of each line, or JSON Lines")
    }
    /// A podcast's name where it could mean all of its episodes or some.
    public static func podcastNamed(_ podcast: Podcast, command: String) -> FailureLine {
        FailureLine(
            podcast.displayTitle, "a podcast of \(counted(podcast.episodeCount, "episode"))", status: .usage,
            advice: "'jimmy \(command) --all' takes them all, \(command == "queue add" ? "--season 2 a season, " : "")"
                + "--query 'podcast:… season:2' some of them")
    }
    public static func noSeason(_ number: Int, of podcast: Podcast) -> FailureLine {
        FailureLine(podcast.displayTitle, "no episode of season \(number)", status: .incomplete)
    }
    /// A podcast without an episode to play.
    public static func allHeard(_ podcast: Podcast) -> FailureLine {
        FailureLine(podcast.displayTitle, "no unheard episode is left", status: .incomplete)
    }
    public static func notQueued(_ name: String) -> FailureLine {
        FailureLine(
            name, "not in the queue", status: .incomplete,
            advice: "name an episode by words of its title or its id; 'jimmy queue' lists them")
    }
}

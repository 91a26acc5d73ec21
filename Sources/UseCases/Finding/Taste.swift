import Domain
import Scheduling

/// Derives scores for `SuggestEpisodes` from the owner's tags and queue.
///
/// All numbers follow from whole days, so that the same library gives the same order all day.
struct Taste {
    /// How many episodes of one podcast the owner starred, played and queued.
    struct History: Equatable, Sendable {
        var starred = 0
        var played = 0
        var queued = 0

        init() {}

        /// From 0 to 1, with diminishing returns.
        var weight: Double {
            let sum = Double(3 * starred + 2 * played + queued)
            return sum / (sum + 4)
        }
    }

    private(set) var podcasts: [PodcastID: History] = [:]
    private(set) var starred: Set<EpisodeID>
    /// Episodes that are not suggested.
    private(set) var settled: Set<EpisodeID>
    private let now: Timestamp

    init(starred: [EpisodeID], played: [EpisodeID], queued: [EpisodeID], archived: [EpisodeID], now: Timestamp) {
        self.starred = Set(starred)
        settled = Set(played).union(queued).union(archived)
        self.now = now
        for id in starred { podcasts[id.podcastID, default: History()].starred += 1 }
        for id in played { podcasts[id.podcastID, default: History()].played += 1 }
        for id in queued { podcasts[id.podcastID, default: History()].queued += 1 }
    }

    var isEmpty: Bool { podcasts.isEmpty }

    /// The score that every episode of the podcast gets.
    func score(of podcast: Podcast) -> Double { 3 * (podcasts[podcast.id]?.weight ?? 0) }

    /// - Parameter likeness: similarity to liked episodes, from 0 to 1.
    func score(of episode: Episode, of podcast: Podcast, likeness: Double) -> Double {
        score(of: podcast) + (starred.contains(episode.id) ? 3 : 0) + 4 * likeness
            + timeliness(of: episode.orderedAt, of: podcast)
    }

    /// Halves every two weeks. Episodes of podcasts that publish rarely fade more slowly.
    func timeliness(of publishedAt: Timestamp?, of podcast: Podcast) -> Double {
        guard let days = days(since: publishedAt) else { return 0 }
        let rarity = min(Double(podcast.daysBetweenEpisodes ?? 0), 56) / 56
        return 2 * Self.half(days, each: 14) + rarity * Self.half(days, each: 56)
    }

    /// nil without a date.
    func days(since time: Timestamp?) -> Int64? {
        time.map { max(0, now.seconds / Schedule.day - $0.seconds / Schedule.day) }
    }

    /// Halves every `days`, falling linearly in between.
    private static func half(_ age: Int64, each days: Int64) -> Double {
        let halvings = min(age / days, 60)
        let fraction = Double(age % days) / Double(days)
        return (1 - fraction / 2) / Double(Int64(1) << halvings)
    }
}

extension Podcast {
    /// The average number of days between its newest episodes; nil if there are fewer than two.
    var daysBetweenEpisodes: Int64? {
        let recent = fetch.cadence.latest
        guard recent.count > 1, let newest = recent.first, let oldest = recent.last else { return nil }
        return max(0, newest - oldest) / Int64(recent.count - 1) / Schedule.day
    }
}

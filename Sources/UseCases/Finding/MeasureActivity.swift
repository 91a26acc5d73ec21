public import Domain
public import Results
public import Searching

/// Counts episodes by week and podcast, and answers by day and podcast.
public struct MeasureActivity: Sendable {
    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository
    let positions: any PositionRepository
    let index: any SearchIndex
    let reconcile: ReconcileIndex

    /// Episodes that are indexed first at most; beyond that, reading all is no more work.
    private static let maxIndexed = 1_000

    public init(_ library: Repositories, index: any SearchIndex, reconcile: ReconcileIndex) {
        podcasts = library.podcasts
        episodes = library.episodes
        positions = library.positions
        self.index = index
        self.reconcile = reconcile
    }

    /// - Parameters:
    ///   - podcast: counts only this one; nil for all.
    ///   - weeks: number of weeks, at least 1.
    public func callAsFunction(of podcast: PodcastID?, weeks: Int, now: Timestamp) async throws -> LibraryActivity {
        var activity = LibraryActivity(weeks: max(weeks, 1), now: now)
        guard let start = activity.weeks.first?.start else { return activity }
        var answering: [Podcast] = []
        if let podcast {
            answering = try await podcasts.podcasts([podcast])
        } else {
            try await podcasts.forEach {
                answering.append($0)
                return true
            }
        }
        // The index has the dates of all episodes together; the library would have to read each of them.
        let published = podcast == nil ? try await indexed(from: start, to: now) : nil
        let heard = Dictionary(grouping: try await positions.positions().values, by: \.episodeID.podcastID)
        for podcast in answering {
            var share = LibraryActivity.Share(podcast: podcast)
            for span in heard[podcast.id, default: []].flatMap(\.heard) where span.at >= start && span.at <= now {
                activity.weeks[Int((span.at - start) / (7 * 86_400))].heard += span.seconds
                share.heard += span.seconds
            }
            defer { if share.episodes > 0 || share.heard > 0 { activity.shares.append(share) } }
            guard podcast.latestEpisodeAt ?? start >= start, podcast.episodeCount > 0 else { continue }
            let ofPodcast =
                if let published { published[podcast.id] ?? [] } else { try await stored(podcast.id, from: start, to: now) }
            for publication in ofPodcast {
                let week = Int((publication.at - start) / (7 * 86_400))
                activity.weeks[week].episodes += 1
                activity.hours[Int((publication.at - start) % (7 * 86_400) / 3_600)] += 1
                activity.weeks[week].seconds += publication.duration
                share.episodes += 1
                share.seconds += publication.duration
            }
        }
        activity.shares.sort { ($0.seconds, $0.episodes, $1.podcast.id) > ($1.seconds, $1.episodes, $0.podcast.id) }
        activity.count(answering)
        return activity
    }

    /// nil if the index cannot be brought in line and read.
    private func indexed(from start: Timestamp, to now: Timestamp) async throws -> [PodcastID: [Publication]]? {
        do {
            let outcome = try await reconcile(limit: Self.maxIndexed)
            guard outcome.unreadable.isEmpty, outcome.postponed == 0 else { return nil }
            return try await index.publications(from: start, to: now)
        } catch is IndexFailure {
            return nil
        }
    }

    private func stored(_ podcast: PodcastID, from start: Timestamp, to now: Timestamp) async throws -> [Publication] {
        try await episodes.episodes(of: podcast).compactMap { episode in
            guard let at = episode.orderedAt, at >= start, at <= now else { return nil }
            return Publication(at: at, duration: episode.item.duration ?? 0)
        }
    }
}

extension LibraryActivity {
    fileprivate init(weeks: Int, now: Timestamp) {
        let monday = now.weekStart
        let today = now - now.secondOfDay
        self.init(
            weeks: (0..<weeks).reversed().map { Week(start: monday - Int64($0) * 7 * 86_400) },
            days: (0..<14).reversed().map { Day(start: today - $0 * 86_400) })
    }

    fileprivate mutating func count(_ podcasts: [Podcast]) {
        var times = [[Int]](repeating: [], count: days.count)
        for podcast in podcasts where !podcast.fetch.answers.isEmpty {
            let answers = podcast.fetch.answers
            for answer in answers {
                guard let day = days.lastIndex(where: { $0.start <= answer.at && answer.at - $0.start < 86_400 }) else {
                    continue
                }
                days[day].fetches += 1
                if answer.isFailure { days[day].failed += 1 } else { times[day].append(answer.milliseconds) }
            }
            self.answers.append(
                Answers(
                    podcast: podcast, fetches: answers.count, failed: answers.count { $0.isFailure },
                    milliseconds: middle(answers.filter { !$0.isFailure }.map(\.milliseconds))))
        }
        for day in days.indices { days[day].milliseconds = middle(times[day]) }
        answers.sort { ($0.milliseconds ?? -1, $0.failed, $1.podcast.id) > ($1.milliseconds ?? -1, $1.failed, $0.podcast.id) }
    }

    private func middle(_ times: [Int]) -> Int? { times.isEmpty ? nil : times.sorted()[times.count / 2] }
}

extension FetchAnswer {
    /// True if the outcome is the code of a failure.
    fileprivate var isFailure: Bool { FetchFailure.Code(rawValue: outcome) != nil }
}

extension Timestamp {
    fileprivate var secondOfDay: Int64 { (seconds % 86_400 + 86_400) % 86_400 }

    /// Midnight of the latest Monday up to this day. 1 January 1970 was a Thursday.
    fileprivate var weekStart: Timestamp {
        let day = self - secondOfDay
        let sinceMonday = ((day.seconds / 86_400 + 3) % 7 + 7) % 7
        return day - sinceMonday * 86_400
    }
}

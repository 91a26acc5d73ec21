import Domain
import Searching

/// Marks passages that several episodes of a podcast, or of the podcasts of its network, have nearly word for word, in their
/// stored transcripts.
///
/// Fingerprints say which transcripts share passages with the new ones; only these are read and compared word by word. A mark
/// is never removed: the other episodes that have the passage need not be among those compared later.
struct MarkAdvertising {
    let library: Repositories
    let index: (any SearchIndex)?
    let passages: any PassageStore

    /// New transcripts of one podcast that are compared at once, together with others.
    private static let maxNew = 24

    /// A damaged transcript is left out.
    ///
    /// - Parameter changed: the podcasts that have new transcripts.
    func callAsFunction(_ changed: Set<PodcastID>) async throws {
        var fingerprints = try FingerprintTranscripts(library, passages)
        let new = Dictionary(grouping: try await fingerprints.update(changed), by: \.episode.podcastID)
        for (podcast, transcripts) in new.sorted(by: { $0.key < $1.key }) {
            let near = try fingerprints.transcripts(near: podcast)
            for first in stride(from: 0, to: transcripts.count, by: Self.maxNew) {
                if Task.isCancelled { return }
                let some = transcripts[first..<min(first + Self.maxNew, transcripts.count)]
                let others = near.others(like: some, limit: RepeatedPassages.maxEpisodes - some.count)
                let stored = try await compare(some.map(\.episode) + others)
                if !stored.isEmpty { try fingerprints.marked(stored) }
            }
        }
    }

    /// Transcripts whose marks change are stored again.
    ///
    /// - Returns: their podcasts, as stored.
    private func compare(_ episodes: [EpisodeID]) async throws -> [Podcast] {
        guard episodes.count >= RepeatedPassages.minEpisodes else { return [] }
        var (repeated, transcripts): (RepeatedPassages, [StoredTranscript?]) = (RepeatedPassages(), [])
        for episode in episodes {
            transcripts.append(try? await library.transcripts.transcript(of: episode))
            repeated.add(transcripts[transcripts.count - 1]?.segments ?? [])
        }
        var changed: [EpisodeID: [TranscriptSegment]] = [:]
        for (number, episode) in episodes.enumerated() {
            guard var segments = transcripts[number]?.segments else { continue }
            let marks = repeated.marks(of: segments, number: number)
            guard zip(segments, marks).contains(where: { $1 && !$0.isAd }) else { continue }
            for line in segments.indices where marks[line] { segments[line].isAd = true }
            changed[episode] = segments
        }
        return try await store(changed)
    }

    private func store(_ changed: [EpisodeID: [TranscriptSegment]]) async throws -> [Podcast] {
        let byPodcast = Dictionary(grouping: changed.keys, by: \.podcastID)
        var settlements: [TranscriptSettlement] = []
        for podcast in try await library.podcasts.podcasts(byPodcast.keys.sorted()) {
            let entries = try await library.transcripts.entries(of: podcast.id).entries
            var settlement = TranscriptSettlement(podcast)
            for episode in byPodcast[podcast.id, default: []].sorted() {
                // A transcript that was replaced meanwhile is another one.
                guard let entry = entries[episode], let segments = changed[episode], entry.stored?.segments == segments.count
                else { continue }
                settlement.entries.append(entry)
                settlement.segments[episode] = segments
            }
            if !settlement.entries.isEmpty { settlements.append(settlement) }
        }
        guard !settlements.isEmpty else { return [] }
        let stored = try await library.transcripts.settleAgain(settlements)
        if let index {
            var episodes: [PodcastID: [Episode]] = [:]
            var channels: [PodcastID: Channel] = [:]
            for settlement in settlements {
                episodes[settlement.podcast.id] = try await library.episodes.episodes(settlement.entries.map(\.episodeID))
                channels[settlement.podcast.id] = try await library.episodes.channel(of: settlement.podcast.id)
            }
            try await index.apply(stored, episodes, library.transcripts) { channels[$0] ?? Channel() }
        }
        return stored.map(\.podcast)
    }
}

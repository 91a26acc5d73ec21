import Domain
import JSON
import Records

/// The transcripts and chapters of episodes.
struct TranscriptStore: TranscriptRepository {
    let session: Session
    let podcasts: PodcastStore
    let owner: OwnerWriter
    let leaseSeconds: Int64

    func entries(of podcast: PodcastID) async throws -> TranscriptEntries {
        let (shard, id) = (Shard(podcast), podcast.text)
        let rows = try await session.read([
            Transaction([Call(.channels, shard, .texts([id])), Call(.transcripts, shard, .text(id))])
        ])
        var transcripts = TranscriptEntries(revision: rows[0].first?.int("transcripts") ?? 0)
        for row in rows[1] {
            let entry = try Self.entry(row, of: podcast, own: row.text("own"))
            if row.int("kind") == EpisodeText.chapters.kind {
                transcripts.chapters[entry.episodeID] = entry
            } else {
                transcripts.entries[entry.episodeID] = entry
            }
        }
        return transcripts
    }

    func transcribed(of podcast: PodcastID) async throws -> Set<EpisodeID> {
        let rows = try await session.read([Transaction(.transcribed, Shard(podcast), .text(podcast.text))])
        return Set(rows.all.compactMap { EpisodeID(text: "\(podcast)-\($0.text("own"))") })
    }

    func segments(of episodes: [EpisodeID]) async throws -> [EpisodeID: [TranscriptSegment]] {
        let rows = try await session.read(EpisodeStore.transactions(.segments, episodes))
        var segments: [EpisodeID: [TranscriptSegment]] = [:]
        for row in rows.all {
            guard let id = EpisodeID(text: "\(row.text("podcast"))-\(row.text("own"))") else { continue }
            var read = (try? Self.segments(row, of: id)) ?? []
            let entry = try? Self.entry(row, of: id.podcastID, own: row.text("own"))
            if entry?.stored?.making != nil { for index in read.indices { read[index].isHomemade = true } }
            segments[id, default: []] += read
        }
        return segments
    }

    func transcript(of episode: EpisodeID) async throws -> StoredTranscript? {
        try await stored(.transcript, of: episode)
    }

    func chapters(of episode: EpisodeID) async throws -> StoredTranscript? { try await stored(.chapters, of: episode) }

    private func stored(_ text: EpisodeText, of episode: EpisodeID) async throws -> StoredTranscript? {
        let rows = try await session.read(EpisodeStore.transactions(.segments, [episode])).all
        guard let row = rows.first(where: { $0.int("kind") == text.kind }) else { return nil }
        let entry = try Self.entry(row, of: episode.podcastID, own: row.text("own"))
        return StoredTranscript(
            file: "", source: entry.stored ?? TranscriptSource(), segments: try Self.segments(row, of: episode))
    }

    func settle(_ settlements: [TranscriptSettlement]) async throws -> [WriteResult] {
        guard !settlements.isEmpty else { return [] }
        let lists = try await podcasts.episodes.channelRows(of: settlements.map(\.podcast.id))
        var counted: [Settlement] = []
        var calls: [PodcastID: [Call]] = [:]
        for settlement in settlements {
            var podcast = settlement.podcast
            let list = lists[podcast.id]?.transcripts ?? 0
            if !settlement.segments.isEmpty {
                podcast.transcripts.revision = max(podcast.transcripts.revision, list) + 1
                podcast.transcripts.written = podcast.transcripts.revision
            }
            counted.append(Settlement(podcast))
            calls[podcast.id] = settlement.calls(in: Shard(podcast.id), revision: max(podcast.transcripts.revision, list))
        }
        return try await podcasts.write(counted, with: calls)
    }

    func claim(_ episode: EpisodeID, by holder: UInt64) async throws -> (any TranscriptionClaim)? {
        try await TranscriptionLease.take(episode, by: holder, seconds: leaseSeconds, owner)
    }

    private static func entry(_ row: Row, of podcast: PodcastID, own: String) throws -> TranscriptEntry {
        guard let id = EpisodeID(text: "\(podcast)-\(own)") else {
            throw LibraryFailure.damaged(file: "transcripts \(podcast)", line: nil, reason: "not an id")
        }
        let never = Timestamp(seconds: 0)
        var entry = TranscriptEntry(episodeID: id, offer: 0, episodeChangedAt: never, askedAt: never)
        try JSONRow.read(row.bytes("entry") ?? [], "transcripts", of: id.text) { json in
            try json.object { json, key in try entry.read(key, from: &json) }
        }
        return entry
    }

    private static func segments(_ row: Row, of episode: EpisodeID) throws -> [TranscriptSegment] {
        var segments: [TranscriptSegment] = []
        try JSONRow.read(row.bytes("segments") ?? [], "transcripts", of: episode.text) { json in
            segments = try json.list { try TranscriptSegment(from: &$0) }
        }
        if row.int("kind") == EpisodeText.chapters.kind { for index in segments.indices { segments[index].isChapter = true } }
        return segments
    }
}

extension EpisodeText {
    /// The value of the column `kind`.
    fileprivate var kind: Int { self == .chapters ? 0 : 1 }
}

extension TranscriptSettlement {
    fileprivate func calls(in shard: Shard, revision: Int) -> [Call] {
        let podcast = Parameter.text(self.podcast.id.text)
        var calls = entries.map { entry in
            let spoken = segments[entry.episodeID]
            var entry = entry
            if spoken != nil { entry.stored?.revision = revision }
            return Call(
                .putTranscript, shard, podcast, .bytes(Array(entry.episodeID.ownText.utf8)), .int(text.kind),
                .bytes(JSONRow.bytes { entry.write(to: &$0) }), .bytes(spoken.map(Self.bytes)))
        }
        let spoken = segments.keys.map { String($0.ownText) }
        if !spoken.isEmpty { calls.append(Call(.touchEpisodes, shard, podcast, .texts(spoken))) }
        calls.append(Call(.setTranscriptsRevision, shard, podcast, .int(revision)))
        return calls
    }

    private static func bytes(_ segments: [TranscriptSegment]) -> [UInt8] {
        var json = JSONWriter()
        json.array { json in for segment in segments { json.object { segment.write(to: &$0) } } }
        return json.bytes
    }
}

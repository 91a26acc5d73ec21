import Domain
import JSON
import Records

/// The episodes and channels of podcasts.
struct EpisodeStore: EpisodeRepository {
    let session: Session

    /// Heads are stored apart from their items, so it makes no difference which of them are known.
    func stored(of podcast: PodcastID, knowing items: KnownItems) async throws -> StoredPodcast {
        let (shard, id) = (Shard(podcast), podcast.text)
        let rows = try await session.read([
            Transaction([Call(.channels, shard, .texts([id])), Call(.heads, shard, .text(id))])
        ])
        guard let channel = try rows[0].first.map(ChannelRow.init) else { return StoredPodcast() }
        return StoredPodcast(
            channel: channel.channel, episodes: try rows[1].compactMap { try Self.head($0, of: podcast) },
            revision: channel.revision)
    }

    func channel(of podcast: PodcastID) async throws -> Channel? {
        try await channelRows(of: [podcast])[podcast]?.channel
    }

    func episodes(of podcast: PodcastID) async throws -> [Episode] {
        let rows = try await session.read([Transaction(.episodes, Shard(podcast), .text(podcast.text))])
        return try rows.all.compactMap { try Self.episode($0) }
    }

    func episodes(of podcast: PodcastID, changedAfter contentRevision: Int) async throws -> [Episode]? {
        let (shard, id) = (Shard(podcast), Parameter.text(podcast.text))
        let rows = try await session.read([
            Transaction([
                Call(.addedSince, shard, id, .int(contentRevision)), Call(.episodesSince, shard, id, .int(contentRevision)),
            ])
        ])
        // A podcast that was subscribed to again may have fewer episodes than before.
        return rows[0].isEmpty ? try rows[1].compactMap { try Self.episode($0) } : nil
    }

    /// Number of episodes up to which each is looked up by itself.
    private static let maxSingle = 64

    func episodes(_ ids: [EpisodeID]) async throws -> [Episode] {
        // The server plans the first statement once, and the other one, which is faster with many ids, for each shard.
        let rows = try await session.read(
            ids.count > Self.maxSingle
                ? Self.transactions(.episodesByID, ids)
                : ids.map {
                    Transaction(.episode, Shard($0.podcastID), .text($0.podcastID.text), .text(String($0.ownText)))
                })
        let byID = Dictionary(try rows.all.compactMap { try Self.episode($0) }.map { ($0.id, $0) }) { a, _ in a }
        return ids.compactMap { byID[$0] }
    }

    func episodes(of podcasts: [PodcastID], withOwnIDPrefix prefix: String, limit: Int) async throws -> [Episode] {
        let (low, high) = (Array(prefix.utf8), Array(prefix.utf8) + [0xFF])
        let rows = try await session.read(
            podcasts.map {
                Transaction(.episodesWithPrefix, Shard($0), .text($0.text), .bytes(low), .bytes(high), .int(limit))
            })
        return try rows.all.prefix(limit).compactMap { try Self.episode($0) }
    }

    func lengths(of ids: [EpisodeID]) async throws -> [EpisodeID: Int] {
        let beginnings = Set(ids.map { Beginning($0) })
        let rows = try await session.read(
            Dictionary(grouping: beginnings) { Shard(idBeginning: $0.podcast) }.map { shard, beginnings in
                Transaction(
                    .episodeNeighbours, shard, .texts(beginnings.map(\.podcast)), .texts(beginnings.map(\.own)), .bytes([0xFF]))
            })
        let others = Dictionary(grouping: rows.all.map { (podcast: $0.text("podcast"), own: $0.text("own")) }) {
            Beginning(podcast: $0.podcast, own: String($0.own.prefix(ShortIDs.minLength)))
        }
        var lengths: [EpisodeID: Int] = [:]
        for id in ids { lengths[id] = ShortIDs.length(of: id.ownText, among: (others[Beginning(id)] ?? []).map(\.own)) }
        return lengths
    }

    private struct Beginning: Hashable {
        var podcast: String
        var own: String

        init(podcast: String, own: String) { (self.podcast, self.own) = (podcast, own) }
        init(_ id: EpisodeID) { self.init(podcast: id.podcastID.text, own: String(id.ownText.prefix(ShortIDs.minLength))) }
    }

    func unsubscribed(withIDPrefix prefix: String, limit: Int) async throws -> [Podcast] {
        let (low, high) = (Parameter.text(prefix), Parameter.bytes(Array(prefix.utf8) + [0xFF]))
        let shards = prefix.isEmpty ? Shard.all : [Shard(idBeginning: prefix)]
        let rows = try await session.read(shards.map { Transaction(.keptChannels, $0, low, high, .int(limit)) })
        var podcasts: [Podcast] = []
        for row in rows.all.prefix(limit) {
            let id = PodcastID(text: row.text("podcast"))
            let channel = try ChannelRow.channel(row.bytes("record") ?? [], of: id)
            let episodes = try await episodes(of: id)
            var podcast = Podcast(
                id: id, feedURL: channel.feedURL ?? "", subscribedAt: episodes.first?.firstSeenAt ?? Timestamp(seconds: 0))
            (podcast.title, podcast.author) = (channel.title, channel.author)
            (podcast.episodeCount, podcast.episodesRevision) = (episodes.count, row.int("revision"))
            podcasts.append(podcast)
        }
        return podcasts
    }

    // MARK: Rows

    /// By podcast.
    func channelRows(of podcasts: [PodcastID]) async throws -> [PodcastID: ChannelRow] {
        let rows = try await session.read(
            Dictionary(grouping: podcasts, by: Shard.init).map { Transaction(.channels, $0, .texts($1.map(\.text))) })
        let channels = try rows.all.map { try ChannelRow($0) }
        return Dictionary(channels.map { ($0.podcast, $0) }) { a, _ in a }
    }

    /// One transaction per shard, with the podcasts' and the episodes' own parts of the ids.
    static func transactions(_ statement: Statement, _ ids: [EpisodeID]) -> [Transaction] {
        Dictionary(grouping: ids) { Shard($0.podcastID) }.map { shard, ids in
            Transaction(
                statement, shard, .texts(ids.map(\.podcastID.text)), .texts(ids.map { String($0.ownText) }))
        }
    }

    static func episode(_ row: Row) throws -> Episode? {
        var record = EpisodeRecord()
        try JSONRow.read(row.bytes("record") ?? [], "episodes", of: "") { json in
            try json.object { json, key in try record.read(key, from: &json) }
        }
        return record.episode
    }

    private static func head(_ row: Row, of podcast: PodcastID) throws -> StoredEpisode? {
        var head = EpisodeHead()
        try JSONRow.read(row.bytes("head") ?? [], "episodes", of: podcast.text) { json in
            try json.object { json, key in try head.read(key, from: &json) }
        }
        return head.stored
    }
}

/// A podcast's row in the table of channels.
struct ChannelRow {
    let podcast: PodcastID
    /// Grows with each change of the channel or the episodes.
    let revision: Int
    /// True if the podcast was unsubscribed and its episodes kept.
    let isKept: Bool
    /// Grows with each write of transcripts.
    let transcripts: Int
    let channel: Channel

    init(_ row: Row) throws {
        podcast = PodcastID(text: row.text("podcast"))
        (revision, isKept, transcripts) = (row.int("revision"), row.int("state") == 1, row.int("transcripts"))
        channel = try Self.channel(row.bytes("record") ?? [], of: podcast)
    }

    static func channel(_ bytes: [UInt8], of podcast: PodcastID) throws -> Channel {
        var channel = Channel()
        try JSONRow.read(bytes, "channels", of: podcast.text) { channel = try $0.value() }
        return channel
    }
}

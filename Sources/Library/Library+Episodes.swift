public import Domain
import Records

extension Library: EpisodeRepository {
    public func stored(of podcast: PodcastID) throws -> StoredPodcast {
        guard let file = try file(podcast, .checked) else { return StoredPodcast() }
        return StoredPodcast(
            channel: try file.channel(),
            episodes: try file.episodes.indices.compactMap { try file.head($0).stored },
            revision: file.revision)
    }

    public func channel(of podcast: PodcastID) throws -> Channel? { try file(podcast, .only([]))?.channel() }

    public func episodes(of podcast: PodcastID) throws -> [Episode] {
        guard let file = try file(podcast, .checked) else { return [] }
        return try file.episodes.indices.map { try file.episode($0) }
    }

    public func episodes(_ ids: [EpisodeID]) throws -> [Episode] {
        var found: [EpisodeID: Episode] = [:]
        for (podcast, wanted) in Dictionary(grouping: ids, by: \.podcastID) {
            let wanted = Set(wanted)
            guard let file = try file(podcast, .only(wanted)) else { continue }
            for index in file.episodes.indices {
                if let id = file.id(index), wanted.contains(id) { found[id] = try file.episode(index) }
            }
        }
        return ids.compactMap { found[$0] }
    }

    public func episodes(of podcasts: [PodcastID], withOwnIDPrefix prefix: String, limit: Int) throws -> [Episode] {
        var found: [Episode] = []
        for podcast in podcasts {
            guard let file = try file(podcast, .all) else { continue }
            for index in file.episodes.indices where file.id(index)?.ownText.hasPrefix(prefix) ?? false {
                if found.count == limit { return found }
                found.append(try file.episode(index))
            }
        }
        return found
    }

    public func lengths(of ids: [EpisodeID]) throws -> [EpisodeID: Int] {
        var lengths: [EpisodeID: Int] = [:]
        for (podcast, wanted) in Dictionary(grouping: ids, by: \.podcastID) {
            guard let file = try file(podcast, .all) else { continue }
            let beginnings = Set(wanted.map { $0.ownText.prefix(ShortIDs.shortest) })
            let all = file.episodes.indices.compactMap { file.id($0)?.ownText }
                .filter { beginnings.contains($0.prefix(ShortIDs.shortest)) }
            for id in wanted { lengths[id] = ShortIDs.length(of: id.ownText, among: all) }
        }
        return lengths
    }

    public func unsubscribed(withIDPrefix prefix: String, limit: Int) throws -> [Podcast] {
        // What the log says, and files whose line in it was lost with a damaged log.
        let files = try episodeFiles.kept()
        let kept = try ask { records in
            records.kept.union(files).filter { $0.text.hasPrefix(prefix) && !records.contains($0) }
        }
        var found: [Podcast] = []
        for id in kept.sorted() where found.count < limit {
            guard let file = try file(id, .all) else { continue }
            let channel = try file.channel()
            let since = try file.episodes.isEmpty ? Timestamp(seconds: 0) : file.episode(0).firstSeenAt
            var podcast = Podcast(id: id, feedURL: channel.feedURL ?? "", subscribedAt: since)
            podcast.title = channel.title
            podcast.author = channel.author
            podcast.episodeCount = file.episodes.count
            podcast.episodesRevision = file.revision
            found.append(podcast)
        }
        return found
    }

    /// The file of a podcast, checked against what its record says; nil if nothing is stored of it yet.
    ///
    /// Beside a writer, what looks like damage may be an unsubscription and a new subscription since the log was read. If the
    /// log knows of no removal that it did not know of before, it is damage.
    func file(_ podcast: PodcastID, _ extent: EpisodeFiles.Extent) throws -> EpisodeFile? {
        // The record before the file: a writer goes the other way round, so the file is never behind it.
        var record = try ask { $0.fileRecord(podcast) }
        while true {
            do {
                let file = try episodeFiles.read(podcast, extent, atLeast: record.revision, isAlone: isWriting)
                if let file { return file }
                guard let folder = record.folder else { return nil }
                throw Damage.missing.failure(EpisodeFile.name(podcast, in: folder) ?? podcast.text)
            } catch let failure as LibraryFailure {
                guard case .damaged = failure, !isWriting else { throw failure }
                let known = record.removals
                reload()
                record = try ask { $0.fileRecord(podcast) }
                if record.removals == known { throw failure }
            }
        }
    }
}

public import Domain

extension Database {
    /// Reads the whole library and checks that it is what jimmy writes.
    public func verify() async throws -> [LibraryDamage] {
        var damage: [LibraryDamage] = []
        var last: [UInt8] = []
        for shard in Shard.all {
            while true {
                let ids = try await session.read([Transaction(.idsAfter, shard, .bytes(last), .int(256))])[0].map {
                    $0.text("id")
                }
                for id in ids { damage += try await check(PodcastID(text: id)) }
                guard let end = ids.last else { break }
                last = Array(end.utf8)
            }
        }
        return damage
    }

    private func check(_ id: PodcastID) async throws -> [LibraryDamage] {
        do {
            while let podcast = try await podcasts.podcast(id) {
                let damage = try await check(podcast)
                if damage.isEmpty { return [] }
                // What a refresh writes between two readings does not match; real damage stays.
                let after = try await podcasts.podcast(id)
                if after?.revision == podcast.revision { return damage }
            }
            return []
        } catch LibraryFailure.damaged(let file, let line, let reason) {
            return [LibraryDamage(file: file, line: line, reason: reason, podcast: id)]
        }
    }

    private func check(_ podcast: Podcast) async throws -> [LibraryDamage] {
        let id = podcast.id
        do {
            let episodes = try await podcasts.episodes.episodes(of: id)
            let stored = try await podcasts.episodes.stored(of: id)
            if stored.revision < podcast.episodesRevision || episodes.count != podcast.episodeCount {
                return [LibraryDamage(file: "podcasts \(id)", reason: "its record does not fit its episodes", podcast: id)]
            }
            let digests = Dictionary(stored.episodes.map { ($0.id, $0.digest) }) { a, _ in a }
            return episodes.filter { FeedItem($0.item).digest != $0.digest || digests[$0.id] != $0.digest }.map {
                LibraryDamage(file: "episodes \($0.id)", reason: "its digest differs", podcast: id)
            }
        } catch LibraryFailure.damaged(let file, let line, let reason) {
            return [LibraryDamage(file: file, line: line, reason: reason, podcast: id)]
        }
    }
}

import Domain

/// Channels, episodes and transcripts, which are stored under the key of their podcast.
extension Statement {
    static let ofEpisodes: [Statement] =
        [
            channels, keptChannels, removedChannels, putChannel, touchChannel, setChannelStates, heads, episodes,
            episodesSince, episode, episodesByID, episodesWithPrefix, episodeNeighbours, putEpisodes, touchEpisodes,
            transcripts, transcribed, segments, putTranscript, setTranscriptsRevision,
        ] + deletions + moves

    // MARK: Episodes

    static let channels = Statement(
        "SELECT podcast, revision, state, transcripts, record FROM @channels WHERE shard = $1 AND podcast = ANY($2)")
    static let keptChannels = Statement(
        """
        SELECT podcast, revision, record FROM @channels
        WHERE shard = $1 AND state = 1 AND podcast >= $2 AND podcast < $3 ORDER BY podcast LIMIT $4
        """)
    /// The channels of a podcast and of its removals.
    static let removedChannels = Statement(
        """
        SELECT podcast, revision, state, transcripts, record FROM @channels
        WHERE shard = $1 AND podcast >= $2 AND podcast < $3
        """)
    static let putChannel = Statement(
        """
        INSERT INTO @channels (shard, podcast, revision, state, transcripts, record) VALUES ($1, $2, $3, 0, 0, $4)
        ON CONFLICT (shard, podcast) DO UPDATE SET revision = EXCLUDED.revision, state = 0, record = EXCLUDED.record
        """)
    static let touchChannel = Statement("UPDATE @channels SET revision = $3, state = 0 WHERE shard = $1 AND podcast = $2")
    static let setChannelStates = Statement("UPDATE @channels SET state = $3 WHERE shard = $1 AND podcast = ANY($2)")

    static let heads = Statement(
        "SELECT head FROM @episodes WHERE shard = $1 AND podcast = $2 ORDER BY number")
    static let episodes = Statement(
        "SELECT record FROM @episodes WHERE shard = $1 AND podcast = $2 ORDER BY number")
    static let episodesSince = Statement(
        "SELECT record FROM @episodes WHERE shard = $1 AND podcast = $2 AND content > $3 ORDER BY number")
    static let episode = Statement(
        "SELECT record FROM @episodes WHERE shard = $1 AND podcast = $2 AND own = $3")
    static let episodesByID = Statement(
        """
        SELECT e.record FROM unnest($2::bytea[], $3::bytea[]) AS v (podcast, own), @episodes AS e
        WHERE e.shard = $1 AND e.podcast = v.podcast AND e.own = v.own
        """)
    static let episodesWithPrefix = Statement(
        """
        SELECT record FROM @episodes
        WHERE shard = $1 AND podcast = $2 AND own >= $3 AND own < $4 ORDER BY number LIMIT $5
        """)
    static let episodeNeighbours = Statement(
        """
        SELECT e.podcast, e.own FROM unnest($2::bytea[], $3::bytea[]) AS v (podcast, low), @episodes AS e
        WHERE e.shard = $1 AND e.podcast = v.podcast AND e.own >= v.low AND e.own < v.low || $4
        """)

    /// Episodes of one podcast, with the revision of the shard that this transaction has advanced.
    static let putEpisodes = Statement(
        """
        INSERT INTO @episodes (shard, podcast, own, number, content, head, record)
        SELECT $1, $2, v.own, v.number, s.revision, v.head, v.record
        FROM unnest($3::bytea[], $4::int8[], $5::bytea[], $6::bytea[]) AS v (own, number, head, record), @shards AS s
        WHERE s.shard = $1
        ON CONFLICT (shard, podcast, own) DO UPDATE
        SET content = EXCLUDED.content, head = EXCLUDED.head, record = EXCLUDED.record
        """)
    /// The same revision for episodes whose transcripts changed.
    static let touchEpisodes = Statement(
        """
        UPDATE @episodes SET content = (SELECT revision FROM @shards WHERE shard = $1)
        WHERE shard = $1 AND podcast = $2 AND own = ANY($3)
        """)

    // MARK: Contents

    // Each statement concerns one podcast: while a shard fills up, the server's statistics say that it is nearly empty,
    // and for a list of podcasts it would scan all rows.

    /// The channel is last: the others move only if it is there.
    private static let contents = ["episodes", "transcripts", "channels"]

    private static let deletions = contents.map { Statement("DELETE FROM @\($0) WHERE shard = $1 AND podcast = $2") }

    /// Delete everything that is stored under a key besides the record of its podcast.
    static func deleteContents(of key: String, in shard: Shard) -> [Call] {
        deletions.map { Call($0, shard, .text(key)) }
    }

    private static let isThere =
        "EXISTS (SELECT 1 FROM @channels AS c WHERE c.shard = $1 AND c.podcast = $2 AND c.state >= $4)"
    private static let moves = contents.flatMap { table in
        [
            Statement("DELETE FROM @\(table) AS e WHERE e.shard = $1 AND e.podcast = $3 AND \(isThere)"),
            Statement(
                """
                UPDATE @\(table) AS e SET podcast = $3\(table == "channels" ? ", state = 0" : "")
                WHERE e.shard = $1 AND e.podcast = $2 AND \(isThere)
                """),
        ]
    }

    /// Move the same to another key, in place of what is stored there. If nothing is there to be moved, nothing changes.
    ///
    /// - Parameter onlyKept: true to move the episodes of a podcast only if an unsubscription kept them.
    static func moveContents(from key: String, to other: String, onlyKept: Bool = false, in shard: Shard) -> [Call] {
        moves.map { Call($0, shard, .text(key), .text(other), .flag(onlyKept)) }
    }

    // MARK: Transcripts

    static let transcripts = Statement(
        "SELECT own, entry, kind FROM @transcripts WHERE shard = $1 AND podcast = $2 ORDER BY own, kind")
    static let transcribed = Statement(
        "SELECT own FROM @transcripts WHERE shard = $1 AND podcast = $2 AND segments IS NOT NULL")
    static let segments = Statement(
        """
        SELECT t.podcast, t.own, t.entry, t.segments, t.kind FROM unnest($2::bytea[], $3::bytea[]) AS v (podcast, own), @transcripts AS t
        WHERE t.shard = $1 AND t.podcast = v.podcast AND t.own = v.own AND t.segments IS NOT NULL ORDER BY t.kind
        """)
    /// If it has no segments, the stored ones remain.
    static let putTranscript = Statement(
        """
        INSERT INTO @transcripts AS t (shard, podcast, own, kind, entry, segments) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (shard, podcast, own, kind) DO UPDATE
        SET entry = EXCLUDED.entry, segments = coalesce(EXCLUDED.segments, t.segments)
        """)
    static let setTranscriptsRevision = Statement(
        "UPDATE @channels SET transcripts = $3 WHERE shard = $1 AND podcast = $2")
}

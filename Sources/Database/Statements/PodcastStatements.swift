/// Podcasts and their changes.
extension Statement {
    static let ofPodcasts: [Statement] = [
        podcasts, podcastsAtURLs, podcastsAfter, idsAfter, podcastsWithWord, podcastNeighbours, latest, latestWantingTexts,
        anyWantingTexts, overview,
        changedHealth, needingAttention,
        lastAdded, count, addPodcast, addedSince, updatePodcasts, updatePodcast, checkPodcast, written, fence,
        removePodcasts, bundlesOf, advance, revision, changes, removals, addRemovals, dropRemoval,
    ]

    // MARK: Podcasts

    static let podcastRow = "id, revision, content, record, secret"
    static let podcasts = Statement("SELECT \(podcastRow) FROM @podcasts WHERE shard = $1 AND id = ANY($2)")
    static let podcastsAtURLs = Statement("SELECT \(podcastRow) FROM @podcasts WHERE shard = $1 AND url = ANY($2)")
    static let podcastsAfter = Statement(
        "SELECT \(podcastRow) FROM @podcasts WHERE shard = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT $4")
    static let idsAfter = Statement("SELECT id FROM @podcasts WHERE shard = $1 AND id > $2 ORDER BY id LIMIT $3")
    static let podcastsWithWord = Statement(
        "SELECT \(podcastRow) FROM @podcasts WHERE shard = $1 AND position($2 IN words) > 0")
    static let podcastNeighbours = Statement(
        """
        SELECT p.id FROM unnest($2::bytea[]) AS v (low), @podcasts AS p
        WHERE p.shard = $1 AND p.id >= v.low AND p.id < v.low || $3
        """)
    private static func latest(_ condition: String) -> Statement {
        Statement(
            """
            SELECT id, latest FROM @podcasts
            WHERE shard = $1 AND latest >= $2 AND (latest < $3 OR latest = $3 AND id > $4)\(condition)
            ORDER BY latest DESC, id LIMIT $5
            """)
    }

    static let latest = latest("")
    /// The same for podcasts that have transcripts or chapters turned on.
    static let latestWantingTexts = latest(" AND wants_texts <> 0")
    /// One row if any podcast has them turned on.
    static let anyWantingTexts = Statement("SELECT 1::int8 FROM @podcasts WHERE shard = $1 AND wants_texts <> 0 LIMIT 1")
    static let overview = Statement(
        """
        SELECT health, count(*) AS podcasts, sum(episodes)::int8 AS episodes, sum(failing)::int8 AS failing,
            min(next_at) AS next_at
        FROM @podcasts
        WHERE shard = $1 AND (health_until IS NULL OR health_until > $2) GROUP BY health
        """)
    static let changedHealth = Statement("SELECT \(podcastRow) FROM @podcasts WHERE shard = $1 AND health_until <= $2")
    static let needingAttention = Statement(
        """
        SELECT id, title FROM @podcasts
        WHERE shard = $1 AND health = ANY($2) AND (health_until IS NULL OR health_until > $3) ORDER BY title, id LIMIT $4
        """)
    /// The newest `added_at` among the podcasts that changed last, where the latest addition must be.
    static let lastAdded = Statement(
        """
        SELECT max(added_at) AS added_at FROM (
            SELECT added_at FROM @podcasts WHERE shard = $1 ORDER BY content DESC LIMIT 16) AS p
        """)
    static let count = Statement("SELECT count(*) AS podcasts FROM @podcasts WHERE shard = $1")

    static let addPodcast = Statement(
        """
        INSERT INTO @podcasts (shard, id, revision, commit_id, fence, added_content, content, episodes, url, bundle, next_at, latest, added_at,
            health, health_until, failing, title, words, record, secret, wants_texts)
        VALUES ($1, $2, $3, $4, 0, (SELECT revision FROM @shards WHERE shard = $1),
            (SELECT revision FROM @shards WHERE shard = $1) * $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
            $15, $16, $17, $18, $19)
        ON CONFLICT (shard, id) DO NOTHING
        """)
    static let addedSince = Statement("SELECT id FROM @podcasts WHERE shard = $1 AND id = $2 AND added_content > $3")
    /// Updates any number of records of one shard without new content; the columns that indexes use remain unchanged.
    static let updatePodcasts = Statement(
        """
        UPDATE @podcasts AS p SET revision = p.revision + 1, commit_id = $2,
            fence = CASE WHEN v.fence IS NULL THEN p.fence ELSE $11 END, next_at = v.next_at,
            health = v.health, health_until = v.health_until, failing = v.failing, record = v.record
        FROM unnest($3::bytea[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[], $9::int8[], $10::bytea[])
            AS v (id, revision, fence, next_at, health, health_until, failing, record)
        WHERE p.shard = $1 AND p.id = v.id AND p.revision = v.revision AND (v.fence IS NULL OR p.fence <= v.fence)
        RETURNING p.id, p.revision, p.content, p.fence, p.commit_id
        """)
    /// Updates one record with all its columns.
    static let updatePodcast = Statement(
        """
        UPDATE @podcasts SET revision = revision + 1, commit_id = $3, fence = CASE WHEN $5::int8 IS NULL THEN fence ELSE $21 END,
            content = CASE WHEN $6 > 0 THEN (SELECT revision FROM @shards WHERE shard = $1) ELSE content END,
            episodes = $7, url = $8, bundle = coalesce($9, bundle), next_at = $10, latest = $11, added_at = $12, health = $13, health_until = $14,
            failing = $15, title = $16, words = $17, record = $18, secret = $19, wants_texts = $20
        WHERE shard = $1 AND id = $2 AND revision = $4 AND ($5 IS NULL OR fence <= $5)
        """)
    /// Aborts the transaction with an error (22012) unless this transaction has written the record.
    static let checkPodcast = Statement(
        "SELECT 1 / count(*) FROM @podcasts WHERE shard = $1 AND id = $2 AND commit_id = $3")
    static let written = Statement(
        "SELECT id, revision, content, fence, commit_id, bundle FROM @podcasts WHERE shard = $1 AND id = ANY($2)")
    static let fence = Statement("UPDATE @podcasts SET fence = $2 WHERE shard = $1 AND bundle = ANY($3) AND fence < $2")
    static let removePodcasts = Statement("DELETE FROM @podcasts WHERE shard = $1 AND id = ANY($2)")
    static let bundlesOf = Statement("SELECT id, bundle FROM @podcasts WHERE shard = $1 AND id = ANY($2)")

    // MARK: Changes

    static let advance = Statement("UPDATE @shards SET revision = revision + 1 WHERE shard = $1")
    static let revision = Statement("SELECT revision FROM @shards WHERE shard = $1")
    static let changes = Statement("SELECT id, content FROM @podcasts WHERE shard = $1 AND content > $2")
    static let removals = Statement("SELECT id FROM @removals WHERE shard = $1 AND content > $2")
    static let addRemovals = Statement(
        """
        INSERT INTO @removals (shard, id, content)
        SELECT $1, p.id, s.revision FROM @podcasts AS p, @shards AS s WHERE p.shard = $1 AND p.id = ANY($2) AND s.shard = $1
        ON CONFLICT (shard, id) DO UPDATE SET content = EXCLUDED.content
        """)
    static let dropRemoval = Statement("DELETE FROM @removals WHERE shard = $1 AND id = $2")
}

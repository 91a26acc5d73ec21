/// Every statement that jimmy sends to a database; there are no others.
///
/// They keep to what PostgreSQL 15, Citus, YugabyteDB and CockroachDB have in common. `@` stands before the name of a table
/// of the library. `$1` is the shard, by which each statement is routed. Texts, times (seconds since 1970) and what is compared
/// with them are parameters. No index has a column that an answer without news changes, so that such updates are in place
/// (HOT).
struct Statement: Hashable, Sendable {
    let text: String

    private init(_ text: String) { self.text = text }

    func text(inSchema schema: String) -> String {
        text.split(separator: "@", omittingEmptySubsequences: false).joined(separator: Self.quoted(schema) + ".")
    }

    private static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    // MARK: Schema

    static let version = Statement(
        """
        SELECT version::int8, (extract(epoch FROM clock_timestamp()) * 1000)::int8 FROM @version WHERE shard = $1
        """)
    static let time = Statement("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 WHERE $1::int8 = 0")
    static let schemaExists = Statement(
        "SELECT 1::int8 FROM pg_catalog.pg_namespace WHERE $1::int8 = 0 AND convert_to(nspname::text, 'UTF8') = $2")
    static let beginVersion = Statement(
        "INSERT INTO @version (shard, version, holder, held_until) VALUES ($1, 0, 0, 0) ON CONFLICT (shard) DO NOTHING")
    static let lockVersion = Statement(
        """
        UPDATE @version SET holder = $2, held_until = $3 WHERE shard = $1 AND version < $4 AND held_until <= $5
        RETURNING version::int8
        """)
    static let setVersion = Statement(
        "UPDATE @version SET version = $2, holder = 0, held_until = 0 WHERE shard = $1 AND holder = $3")
    static let beginShard = Statement("INSERT INTO @shards (shard, revision) VALUES ($1, 0) ON CONFLICT (shard) DO NOTHING")

    static func beginSchema(_ name: String) -> Statement { Statement("CREATE SCHEMA IF NOT EXISTS " + quoted(name)) }

    /// One of the statements of `Schema`, which concern no rows.
    static func definition(_ text: String) -> Statement { Statement(text) }

    // MARK: Podcasts

    private static let row = "id, revision, content, record, secret"
    static let podcasts = Statement("SELECT \(row) FROM @podcasts WHERE shard = $1 AND id = ANY($2)")
    static let podcastsAtURLs = Statement("SELECT \(row) FROM @podcasts WHERE shard = $1 AND url = ANY($2)")
    static let podcastsAfter = Statement(
        "SELECT \(row) FROM @podcasts WHERE shard = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT $4")
    static let idsAfter = Statement("SELECT id FROM @podcasts WHERE shard = $1 AND id > $2 ORDER BY id LIMIT $3")
    static let podcastsWithWord = Statement(
        "SELECT \(row) FROM @podcasts WHERE shard = $1 AND position($2 IN words) > 0")
    static let podcastNeighbours = Statement(
        """
        SELECT p.id FROM unnest($2::bytea[]) AS v (low), @podcasts AS p
        WHERE p.shard = $1 AND p.id >= v.low AND p.id < v.low || $3
        """)
    static let latest = Statement(
        """
        SELECT id, latest FROM @podcasts
        WHERE shard = $1 AND latest >= $2 AND (latest < $3 OR latest = $3 AND id > $4)
        ORDER BY latest DESC, id LIMIT $5
        """)
    static let overview = Statement(
        """
        SELECT health, count(*), sum(episodes)::int8, sum(failing)::int8, min(next_at) FROM @podcasts
        WHERE shard = $1 AND (health_until IS NULL OR health_until > $2) GROUP BY health
        """)
    static let changedHealth = Statement("SELECT \(row) FROM @podcasts WHERE shard = $1 AND health_until <= $2")
    static let needingAttention = Statement(
        """
        SELECT id, title FROM @podcasts
        WHERE shard = $1 AND health = ANY($2) AND (health_until IS NULL OR health_until > $3) ORDER BY title, id LIMIT $4
        """)
    static let due = Statement(
        """
        SELECT count(*), coalesce(sum(CASE WHEN next_at <= $2 THEN 1 ELSE 0 END), 0)::int8, max(added_at), count(next_at)
        FROM @podcasts WHERE shard = $1
        """)

    static let addPodcast = Statement(
        """
        INSERT INTO @podcasts (shard, id, revision, commit_id, fence, content, episodes, url, bundle, next_at, latest, added_at,
            health, health_until, failing, title, words, record, secret)
        VALUES ($1, $2, $3, $4, 0, (SELECT revision FROM @shards WHERE shard = $1) * $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
            $15, $16, $17, $18)
        ON CONFLICT (shard, id) DO NOTHING
        """)
    /// Records without news, any number of one shard: what the indexes have stays as it is.
    static let updatePodcasts = Statement(
        """
        UPDATE @podcasts AS p SET revision = p.revision + 1, commit_id = $2,
            fence = CASE WHEN v.fence IS NULL THEN p.fence ELSE $11 END, next_at = v.next_at,
            health = v.health, health_until = v.health_until, failing = v.failing, record = v.record
        FROM unnest($3::bytea[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[], $9::int8[], $10::bytea[])
            AS v (id, revision, fence, next_at, health, health_until, failing, record)
        WHERE p.shard = $1 AND p.id = v.id AND p.revision = v.revision AND (v.fence IS NULL OR p.fence <= v.fence)
        """)
    /// One record with whatever changed of it.
    static let updatePodcast = Statement(
        """
        UPDATE @podcasts SET revision = revision + 1, commit_id = $3, fence = CASE WHEN $5::int8 IS NULL THEN fence ELSE $20 END,
            content = CASE WHEN $6 > 0 THEN (SELECT revision FROM @shards WHERE shard = $1) ELSE content END,
            episodes = $7, url = $8, bundle = coalesce($9, bundle), next_at = $10, latest = $11, added_at = $12, health = $13, health_until = $14,
            failing = $15, title = $16, words = $17, record = $18, secret = $19
        WHERE shard = $1 AND id = $2 AND revision = $4 AND ($5 IS NULL OR fence <= $5)
        """)
    /// Ends the transaction with an error (22012) unless the record is the one that it has written.
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
    static let changes = Statement(
        """
        SELECT id, content FROM @podcasts
        WHERE shard = $1 AND content > (SELECT revision FROM @shards WHERE shard = $1) - $2
        """)
    static let removals = Statement(
        """
        SELECT id FROM @removals
        WHERE shard = $1 AND content > (SELECT revision FROM @shards WHERE shard = $1) - $2
        """)
    static let addRemovals = Statement(
        """
        INSERT INTO @removals (shard, id, content)
        SELECT $1, p.id, s.revision FROM @podcasts AS p, @shards AS s WHERE p.shard = $1 AND p.id = ANY($2) AND s.shard = $1
        ON CONFLICT (shard, id) DO UPDATE SET content = EXCLUDED.content
        """)
    static let dropRemoval = Statement("DELETE FROM @removals WHERE shard = $1 AND id = $2")

    // MARK: Episodes

    static let channels = Statement(
        "SELECT podcast, revision, state, transcripts, record FROM @channels WHERE shard = $1 AND podcast = ANY($2)")
    static let keptChannels = Statement(
        """
        SELECT podcast, revision, record FROM @channels
        WHERE shard = $1 AND state = 1 AND podcast >= $2 AND podcast < $3 ORDER BY podcast LIMIT $4
        """)
    static let putChannel = Statement(
        """
        INSERT INTO @channels (shard, podcast, revision, state, transcripts, record) VALUES ($1, $2, $3, 0, 0, $4)
        ON CONFLICT (shard, podcast) DO UPDATE SET revision = EXCLUDED.revision, state = 0, record = EXCLUDED.record
        """)
    static let touchChannel = Statement("UPDATE @channels SET revision = $3, state = 0 WHERE shard = $1 AND podcast = $2")
    static let setChannelStates = Statement("UPDATE @channels SET state = $3 WHERE shard = $1 AND podcast = ANY($2)")

    private static let isVisible =
        "EXISTS (SELECT 1 FROM @channels AS c WHERE c.shard = $1 AND c.podcast = e.podcast AND c.state < 2)"
    static let heads = Statement(
        "SELECT head FROM @episodes AS e WHERE shard = $1 AND podcast = $2 AND \(isVisible) ORDER BY number")
    static let episodes = Statement(
        "SELECT record FROM @episodes AS e WHERE shard = $1 AND podcast = $2 AND \(isVisible) ORDER BY number")
    static let episodesByID = Statement(
        """
        SELECT e.record FROM unnest($2::bytea[], $3::bytea[]) AS v (podcast, own), @episodes AS e
        WHERE e.shard = $1 AND e.podcast = v.podcast AND e.own = v.own AND \(isVisible)
        """)
    static let episodesWithPrefix = Statement(
        """
        SELECT e.record FROM @episodes AS e
        WHERE e.shard = $1 AND e.podcast = $2 AND e.own >= $3 AND e.own < $4 AND \(isVisible) ORDER BY e.number LIMIT $5
        """)
    static let episodeNeighbours = Statement(
        """
        SELECT e.podcast, e.own FROM unnest($2::bytea[], $3::bytea[]) AS v (podcast, low), @episodes AS e
        WHERE e.shard = $1 AND e.podcast = v.podcast AND e.own >= v.low AND e.own < v.low || $4
        """)

    /// - Parameter count: rows, all of one podcast ($2).
    static func putEpisodes(_ count: Int) -> Statement {
        Statement(
            """
            INSERT INTO @episodes (shard, podcast, own, number, head, record)
            VALUES \(values(["$1", "$2"], columns: 4, rows: count))
            ON CONFLICT (shard, podcast, own) DO UPDATE SET head = EXCLUDED.head, record = EXCLUDED.record
            """)
    }

    /// Rows that begin alike and go on with parameters of their own.
    private static func values(_ common: [String], columns: Int, rows: Int) -> String {
        (0..<rows).map { row in
            let own = (0..<columns).map { "$\(common.count + row * columns + $0 + 1)" }
            return "(" + (common + own).joined(separator: ", ") + ")"
        }.joined(separator: ", ")
    }

    private static func delete(from table: String) -> Statement {
        Statement("DELETE FROM @\(table) WHERE shard = $1 AND podcast = ANY($2)")
    }

    private static func deleteHidden(from table: String) -> Statement {
        Statement(
            """
            DELETE FROM @\(table) AS e WHERE e.shard = $1 AND e.podcast = ANY($2)
            AND EXISTS (SELECT 1 FROM @channels AS c WHERE c.shard = $1 AND c.podcast = e.podcast AND c.state = 2)
            """)
    }

    /// Everything that is stored of podcasts besides their records.
    static let deleteContents = ["episodes", "transcripts", "channels"].map(delete)
    /// The same, of those that were removed and wait for being taken back.
    static let deleteHiddenContents = ["episodes", "transcripts", "channels"].map(deleteHidden)

    // MARK: Transcripts

    static let transcripts = Statement(
        "SELECT own, entry, kind FROM @transcripts WHERE shard = $1 AND podcast = $2 ORDER BY own, kind")
    static let segments = Statement(
        """
        SELECT t.podcast, t.own, t.entry, t.segments, t.kind FROM unnest($2::bytea[], $3::bytea[]) AS v (podcast, own), @transcripts AS t
        WHERE t.shard = $1 AND t.podcast = v.podcast AND t.own = v.own AND t.segments IS NOT NULL ORDER BY t.kind
        """)
    /// Without segments those that are stored stay.
    static let putTranscript = Statement(
        """
        INSERT INTO @transcripts AS t (shard, podcast, own, kind, entry, segments) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (shard, podcast, own, kind) DO UPDATE
        SET entry = EXCLUDED.entry, segments = coalesce(EXCLUDED.segments, t.segments)
        """)
    static let setTranscriptsRevision = Statement(
        "UPDATE @channels SET transcripts = $3 WHERE shard = $1 AND podcast = $2")

    // MARK: What belongs to the owner

    static let documents = Statement("SELECT name, revision, body FROM @documents WHERE shard = $1 AND name = ANY($2)")
    static let putDocument = Statement(
        """
        INSERT INTO @documents AS d (shard, name, revision, body) VALUES ($1, $2, 1, $3)
        ON CONFLICT (shard, name) DO UPDATE SET revision = d.revision + 1, body = EXCLUDED.body
        """)
    /// Fails (23505) if the transaction was committed before.
    static let addCommit = Statement("INSERT INTO @commits (shard, id, at) VALUES ($1, $2, $3)")
    static let dropCommits = Statement("DELETE FROM @commits WHERE shard = $1 AND at < $2")
    static let advanceOwner = Statement(
        "UPDATE @owners SET revision = revision + 1, commit_id = $3 WHERE shard = $1 AND revision = $2")
    static let beginOwner = Statement(
        "INSERT INTO @owners (shard, revision, commit_id) VALUES ($1, 0, 0) ON CONFLICT (shard) DO NOTHING")
    static let ownerRevision = Statement("SELECT revision FROM @owners WHERE shard = $1")
    /// Ends the transaction with an error (22012) if somebody else was faster.
    static let checkOwner = Statement("SELECT 1 / count(*) FROM @owners WHERE shard = $1 AND commit_id = $2")

    static let tags = Statement("SELECT episode, words, pending FROM @tags WHERE shard = $1 AND episode = ANY($2)")
    static let tagged = Statement(
        "SELECT episode, words, pending FROM @tags WHERE shard = $1 AND position($2 IN words) > 0 ORDER BY episode")
    static let allTags = Statement("SELECT episode, words, pending FROM @tags WHERE shard = $1 ORDER BY episode")
    static let pendingTags = Statement(
        "SELECT episode, words, pending FROM @tags WHERE shard = $1 AND pending > 0 ORDER BY episode")
    static func putTags(_ count: Int) -> Statement {
        Statement(
            """
            INSERT INTO @tags (shard, episode, words, pending) VALUES \(values(["$1"], columns: 3, rows: count))
            ON CONFLICT (shard, episode) DO UPDATE SET words = EXCLUDED.words, pending = EXCLUDED.pending
            """)
    }

    static let dropTags = Statement("DELETE FROM @tags WHERE shard = $1 AND episode = ANY($2)")

    static let undoSteps = Statement("SELECT number, at, body FROM @undo WHERE shard = $1 ORDER BY number DESC")
    static let putUndoStep = Statement("INSERT INTO @undo (shard, number, at, body) VALUES ($1, $2, $3, $4)")
    static let dropUndoSteps = Statement("DELETE FROM @undo WHERE shard = $1 AND number = ANY($2)")

    // MARK: Work

    static let hosts = Statement(
        "SELECT host, name, paused_until, allowance, measured_at, feeds FROM @hosts WHERE shard = $1 AND host = ANY($2)")
    static let pausedHosts = Statement("SELECT name, paused_until FROM @hosts WHERE shard = $1 AND paused_until > $2")
    static let putHost = Statement(
        """
        INSERT INTO @hosts (shard, host, name, paused_until, allowance, measured_at, feeds) VALUES ($1, $2, $3, $4, $5, $6, 0)
        ON CONFLICT (shard, host) DO UPDATE
        SET paused_until = EXCLUDED.paused_until, allowance = EXCLUDED.allowance, measured_at = EXCLUDED.measured_at
        """)
    static let addFeeds = Statement(
        """
        INSERT INTO @hosts AS h (shard, host, name, feeds) VALUES ($1, $2, $3, $4)
        ON CONFLICT (shard, host) DO UPDATE SET feeds = h.feeds + EXCLUDED.feeds
        RETURNING feeds
        """)
    static let touchBundle = Statement(
        """
        INSERT INTO @bundles AS b (shard, host, number, due_at, changes) VALUES ($1, $2, $3, $4, 0)
        ON CONFLICT (shard, host, number) DO UPDATE SET due_at = least(b.due_at, EXCLUDED.due_at), changes = b.changes + 1
        """)
    static let addSlot = Statement(
        """
        INSERT INTO @slots (shard, host, slot, ready_at, leased_until, token, fence) VALUES ($1, $2, $3, $4, 0, 0, 0)
        ON CONFLICT (shard, host, slot) DO NOTHING
        """)
    static let touchSlots = Statement("UPDATE @slots SET ready_at = $3 WHERE shard = $1 AND host = $2 AND ready_at > $3")

    /// $2 is the run's token, $3 the fence, $4 the end of the lease, $5 now, $6 the requests that a host gets at once. A
    /// statement that is sent again after its reply was lost claims the same slots.
    private static let claimed = """
        claimed AS (
            UPDATE @slots AS s SET leased_until = $4, token = $2, fence = $3 FROM candidates AS c
            WHERE s.shard = $1 AND s.host = c.host AND s.slot = c.slot RETURNING s.host, s.slot, c.token AS earlier)
        """
    private static let claimedRow =
        "h.feeds, h.name, h.paused_until, h.allowance, h.measured_at"
    /// Slots that have something due, the longest waiting first, each with its first bundle.
    static let claimDue = Statement(
        """
        WITH candidates AS (
            SELECT host, slot, token FROM @slots
            WHERE shard = $1 AND ready_at <= $7 AND slot < $6 AND (leased_until <= $5 OR token = $2 AND fence = $3)
            ORDER BY ready_at LIMIT $8 FOR UPDATE SKIP LOCKED),
        \(claimed)
        SELECT c.host, c.slot, c.earlier, b.number, b.changes, \(claimedRow)
        FROM claimed AS c JOIN @hosts AS h ON h.shard = $1 AND h.host = c.host
        LEFT JOIN LATERAL (
            SELECT number, changes FROM @bundles
            WHERE shard = $1 AND host = c.host AND due_at <= $7 AND number % $6 = c.slot ORDER BY due_at LIMIT 1) AS b ON true
        """)

    private static func claim(page: String) -> Statement {
        Statement(
            """
            WITH page AS (\(page)),
            candidates AS (
                SELECT host, slot, token FROM @slots AS s
                WHERE shard = $1 AND (leased_until <= $5 OR token = $2)
                AND EXISTS (SELECT 1 FROM page AS p WHERE p.host = s.host AND p.slot = s.slot) FOR UPDATE SKIP LOCKED),
            \(claimed)
            SELECT p.host, p.slot, c.earlier, p.number, p.changes, \(claimedRow)
            FROM page AS p JOIN @hosts AS h ON h.shard = $1 AND h.host = p.host
            LEFT JOIN claimed AS c ON c.host = p.host AND c.slot = p.slot
            """)
    }

    /// The next bundles of all, due or not. Those whose slot another run has leased come without `earlier`.
    static let claimNext = claim(
        page: """
            SELECT host, number, changes, number % $6 AS slot FROM @bundles
            WHERE shard = $1 AND (host, number) > ($7, $8) ORDER BY host, number LIMIT $9
            """)
    /// The bundles of podcasts that were named.
    static let claimNamed = claim(
        page: """
            SELECT b.host, b.number, b.changes, b.number % $6 AS slot
            FROM unnest($7::int8[], $8::int8[]) AS v (host, number), @bundles AS b
            WHERE b.shard = $1 AND b.host = v.host AND b.number = v.number
            """)
    /// The feeds of bundles; records only of those that are due by $3, or of all if $4 is not 0.
    static let members = Statement(
        """
        SELECT id, revision, content, CASE WHEN $4 <> 0 OR next_at <= $3 THEN record END, secret, bundle, next_at, fence
        FROM @podcasts WHERE shard = $1 AND bundle = ANY($2)
        """)
    static let renew = Statement(
        """
        UPDATE @slots AS s SET leased_until = $3 FROM unnest($4::int8[], $5::int8[]) AS v (host, slot)
        WHERE s.shard = $1 AND s.host = v.host AND s.slot = v.slot AND s.token = $2 RETURNING s.host, s.slot
        """)
    /// A bundle to which a feed came since it was read keeps the earlier time.
    static let settleBundles = Statement(
        """
        UPDATE @bundles AS b SET due_at = CASE WHEN b.changes = v.changes THEN v.due_at ELSE least(b.due_at, v.due_at) END
        FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[]) AS v (host, number, changes, due_at)
        WHERE b.shard = $1 AND b.host = v.host AND b.number = v.number
        """)
    static let releaseSlots = Statement(
        """
        UPDATE @slots AS s SET leased_until = 0, token = 0, ready_at = (
            SELECT coalesce(min(b.due_at), $6) FROM @bundles AS b
            WHERE b.shard = $1 AND b.host = s.host AND b.number % $3 = s.slot)
        FROM unnest($4::int8[], $5::int8[]) AS v (host, slot)
        WHERE s.shard = $1 AND s.host = v.host AND s.slot = v.slot AND s.token = $2
        """)
    static let putWorker = Statement(
        """
        INSERT INTO @workers (shard, token, name, started_at, seen_at) VALUES ($1, $2, $3, $4, $4)
        ON CONFLICT (shard, token) DO UPDATE SET seen_at = EXCLUDED.seen_at
        """)
    static let dropWorkers = Statement("DELETE FROM @workers WHERE shard = $1 AND (token = $2 OR seen_at < $3)")

    /// Every statement with fixed text, for the tests that read them.
    static let all: [Statement] =
        [
            version, time, schemaExists, beginVersion, lockVersion, setVersion, beginShard, podcasts, podcastsAtURLs,
            podcastsAfter, idsAfter, podcastsWithWord, podcastNeighbours, latest, overview, changedHealth, needingAttention, due,
            addPodcast, updatePodcasts, updatePodcast, checkPodcast, written, fence, removePodcasts, bundlesOf, advance,
            revision, changes, removals, addRemovals, dropRemoval, channels, keptChannels, putChannel, touchChannel,
            setChannelStates, heads, episodes, episodesByID, episodesWithPrefix, episodeNeighbours,
            putEpisodes(2), transcripts, segments, putTranscript, setTranscriptsRevision, documents,
            putDocument, addCommit, dropCommits, advanceOwner, beginOwner, ownerRevision, checkOwner, tags, tagged, allTags,
            pendingTags, putTags(2), dropTags, undoSteps, putUndoStep, dropUndoSteps, hosts, pausedHosts, putHost, addFeeds,
            touchBundle, addSlot, touchSlots, claimDue, claimNext, claimNamed, members, renew, settleBundles, releaseSlots,
            putWorker, dropWorkers,
        ] + deleteContents + deleteHiddenContents
}

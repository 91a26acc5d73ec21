/// Hosts, their slots, and the workers.
extension Statement {
    static let ofWork: [Statement] = [
        hosts, pausedHosts, putHost, pauseHost, addFeeds, touchBundle, addSlot, touchSlots, readySlots, claimDue,
        claimReleased, claimNext,
        claimedSince, leasedSlots, claimNamed, members, leasedBundles, renew, lockSlots, settleBundles, releaseSlots, putWorker,
        liveWorkers, dropWorkers,
        leases,
    ]

    static let hosts = Statement(
        "SELECT host, name, paused_until, allowance, measured_at, feeds FROM @hosts WHERE shard = $1 AND host = ANY($2)")
    static let pausedHosts = Statement("SELECT name, paused_until FROM @hosts WHERE shard = $1 AND paused_until > $2")
    /// $7 is 0 if a stored pause may be replaced by an earlier one.
    static let putHost = Statement(
        """
        INSERT INTO @hosts AS h (shard, host, name, paused_until, allowance, measured_at, feeds)
        VALUES ($1, $2, $3, $4, $5, $6, 0)
        ON CONFLICT (shard, host) DO UPDATE SET
            paused_until = CASE WHEN $7 <> 0 THEN greatest(h.paused_until, EXCLUDED.paused_until) ELSE EXCLUDED.paused_until END,
            allowance = EXCLUDED.allowance, measured_at = EXCLUDED.measured_at
        """)
    static let pauseHost = Statement(
        """
        INSERT INTO @hosts AS h (shard, host, name, paused_until, feeds) VALUES ($1, $2, $3, $4, 0)
        ON CONFLICT (shard, host) DO UPDATE SET paused_until = greatest(h.paused_until, EXCLUDED.paused_until)
        """)
    static let addFeeds = Statement(
        """
        INSERT INTO @hosts AS h (shard, host, name, feeds) VALUES ($1, $2, $3, $4)
        ON CONFLICT (shard, host) DO UPDATE SET feeds = h.feeds + EXCLUDED.feeds
        RETURNING feeds
        """)
    static let touchBundle = Statement(
        """
        INSERT INTO @bundles AS b (shard, host, number, due_at, changes, shards, shards_at) VALUES ($1, $2, $3, $4, 0, $5, 0)
        ON CONFLICT (shard, host, number) DO UPDATE SET due_at = least(b.due_at, EXCLUDED.due_at), changes = b.changes + 1,
            shards = b.shards | EXCLUDED.shards, shards_at = CASE WHEN b.shards_at = b.changes THEN b.changes + 1 ELSE -1 END
        """)
    static let addSlot = Statement(
        """
        INSERT INTO @slots (shard, host, slot, ready_at, leased_until, token, fence) VALUES ($1, $2, $3, $4, 0, 0, 0)
        ON CONFLICT (shard, host, slot) DO NOTHING
        """)
    /// Touches all slots of a host, before its bundles are changed. A worker that releases a slot meanwhile waits, and
    /// then sees the changed bundles.
    static let touchSlots = Statement(
        "UPDATE @slots SET ready_at = least(ready_at, $3) WHERE shard = $1 AND host = $2")

    /// The time at which the first slot is ready, leased or not, and the number of slots that can be claimed, counted
    /// up to $5. None is ready before $6; the bound skips outdated rows that the indexes still contain.
    static let readySlots = Statement(
        """
        SELECT f.first, (SELECT count(*) FROM (
            SELECT 1 FROM @slots
            WHERE shard = $1 AND ready_at >= f.first AND ready_at <= $2 AND leased_until <= $3 AND slot < $4 LIMIT $5) AS s) AS slots
        FROM (SELECT min(ready_at) AS first FROM @slots WHERE shard = $1 AND ready_at >= $6) AS f
        """)

    /// $2 is the run's token, $3 the fence, $4 the end of the lease, $5 the current time, $6 the number of parallel
    /// requests to a host. If a statement is repeated because its reply was lost, it claims the same slots.
    private static let claimed = """
        claimed AS (
            UPDATE @slots AS s SET leased_until = $4, token = $2, fence = $3 FROM candidates AS c
            WHERE s.shard = $1 AND s.host = c.host AND s.slot = c.slot
            RETURNING s.host, s.slot, c.token AS earlier, s.ready_at, s.swept_at, s.parts)
        """
    private static let claimedRow = "h.feeds, h.name, h.paused_until, h.allowance, h.measured_at, c.ready_at, shards"
    /// null if the feeds may be in any shard.
    private static let shards = "CASE WHEN shards_at = changes THEN shards END AS shards"
    /// Each slot with its first bundle. If the slot was swept after $9 for the same number of slots, none of its
    /// bundles is due before the slot is ready.
    private static func claimDue(from slots: String, where condition: String) -> Statement {
        Statement(
            """
            WITH candidates AS (
                SELECT s.host, s.slot, s.token FROM \(slots)@slots AS s
                WHERE s.shard = $1 AND \(condition) AND s.ready_at <= $7 AND s.slot < $6
                AND (s.leased_until <= $5 OR s.token = $2 AND s.fence = $3)
                ORDER BY s.ready_at LIMIT $8 FOR UPDATE OF s SKIP LOCKED),
            \(claimed)
            SELECT c.host, c.slot, c.earlier, b.number, b.changes, \(claimedRow)
            FROM claimed AS c JOIN @hosts AS h ON h.shard = $1 AND h.host = c.host
            LEFT JOIN LATERAL (
                SELECT number, changes, \(shards) FROM @bundles
                WHERE shard = $1 AND host = c.host AND due_at >= CASE WHEN c.swept_at > $9 AND c.parts = $6 THEN c.ready_at ELSE 0 END
                AND due_at <= $7 AND number % $6 = c.slot ORDER BY due_at LIMIT 1) AS b ON true
            """)
    }

    /// Slots in which something is due and that became ready at $10 or later, the earliest first.
    static let claimDue = claimDue(from: "", where: "s.ready_at >= $10")
    /// Those of the given slots in which something is due.
    static let claimReleased = claimDue(
        from: "unnest($10::int8[], $11::int8[]) AS v (host, slot), ", where: "s.host = v.host AND s.slot = v.slot")

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

    /// The next bundles in order, due or not, whose slot was not claimed under a fence beyond $10. For slots that
    /// another run has leased, `earlier` is null.
    static let claimNext = claim(
        page: """
            SELECT b.host, b.number, b.changes, s.slot, \(shards)
            FROM @bundles AS b JOIN @slots AS s ON s.shard = $1 AND s.host = b.host AND s.slot = b.number % $6
            WHERE b.shard = $1 AND (b.host, b.number) > ($7, $8) AND s.fence <= $10 ORDER BY b.host, b.number LIMIT $9
            """)
    /// The bundles that `claimNext` skips.
    static let claimedSince = Statement(
        """
        SELECT b.host, b.number FROM @slots AS s JOIN @bundles AS b ON b.shard = $1 AND b.host = s.host
        WHERE s.shard = $1 AND s.fence > $2 AND b.number % $3 = s.slot
        """)
    static let leasedSlots = Statement(
        "SELECT host, slot FROM @slots WHERE shard = $1 AND host = ANY($2) AND leased_until > $3 AND token <> $4")
    /// The bundles of named podcasts.
    static let claimNamed = claim(
        page: """
            SELECT b.host, b.number, b.changes, b.number % $6 AS slot, \(shards)
            FROM unnest($7::int8[], $8::int8[]) AS v (host, number), @bundles AS b
            WHERE b.shard = $1 AND b.host = v.host AND b.number = v.number
            """)
    /// The feeds of bundles, with records only for those that are due by $3, or for all if $4 is not 0.
    static let members = Statement(
        """
        SELECT id, revision, content, CASE WHEN $4 <> 0 OR next_at <= $3 THEN record END AS record, secret, bundle, next_at, fence
        FROM @podcasts WHERE shard = $1 AND bundle = ANY($2)
        """)
    /// Bundles that other runs hold and that are due, or were due when claimed.
    static let leasedBundles = Statement(
        """
        SELECT b.host, b.number FROM @slots AS s JOIN @bundles AS b ON b.shard = $1 AND b.host = s.host
        WHERE s.shard = $1 AND s.ready_at <= $2 AND s.leased_until > $3 AND s.token <> $4 AND b.due_at <= $2
            AND b.number % $5 = s.slot LIMIT 1024
        """)
    static let renew = Statement(
        """
        UPDATE @slots AS s SET leased_until = $3 FROM unnest($4::int8[], $5::int8[]) AS v (host, slot)
        WHERE s.shard = $1 AND s.host = v.host AND s.slot = v.slot AND s.token = $2 RETURNING s.host, s.slot
        """)
    /// Runs before their bundles are read: see `touchSlots`.
    static let lockSlots = Statement(
        """
        SELECT 1::int8 FROM @slots AS s, unnest($3::int8[], $4::int8[]) AS v (host, slot)
        WHERE s.shard = $1 AND s.host = v.host AND s.slot = v.slot AND s.token = $2
        ORDER BY s.host, s.slot FOR UPDATE OF s
        """)
    /// Updates bundles in slots that the run still holds. A bundle to which a feed was added since it was read keeps
    /// the earlier due time and its stored shards.
    static let settleBundles = Statement(
        """
        UPDATE @bundles AS b SET due_at = CASE WHEN b.changes = v.changes THEN v.due_at ELSE least(b.due_at, v.due_at) END,
            shards = b.shards | v.shards, shards_at = CASE WHEN b.changes = v.changes THEN b.changes ELSE b.shards_at END
        FROM unnest($4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[]) AS v (host, number, changes, due_at, shards)
        WHERE b.shard = $1 AND b.host = v.host AND b.number = v.number AND EXISTS (
            SELECT 1 FROM @slots AS s WHERE s.shard = $1 AND s.host = b.host AND s.slot = b.number % $3 AND s.token = $2)
        """)
    /// Skips slots that were claimed again meanwhile, even by the same run. A slot that was not swept after $9 for the
    /// same number of slots is swept now ($8): all of its bundles are examined.
    static let releaseSlots = Statement(
        """
        UPDATE @slots AS s SET leased_until = 0, token = 0, parts = $3,
            swept_at = CASE WHEN s.swept_at > $9 AND s.parts = $3 THEN s.swept_at ELSE $8 END,
            ready_at = (
                SELECT coalesce(min(b.due_at), $7) FROM @bundles AS b
                WHERE b.shard = $1 AND b.host = s.host AND b.number % $3 = s.slot
                AND b.due_at >= CASE WHEN s.swept_at > $9 AND s.parts = $3 THEN s.ready_at ELSE 0 END)
        FROM unnest($4::int8[], $5::int8[], $6::int8[]) AS v (host, slot, fence)
        WHERE s.shard = $1 AND s.host = v.host AND s.slot = v.slot AND s.token = $2 AND s.fence = v.fence
        RETURNING s.host, s.slot, s.ready_at
        """)
    static let putWorker = Statement(
        """
        INSERT INTO @workers (shard, token, name, started_at, seen_at) VALUES ($1, $2, $3, $4, $4)
        ON CONFLICT (shard, token) DO UPDATE SET seen_at = EXCLUDED.seen_at
        """)
    static let liveWorkers = Statement("SELECT name, started_at, seen_at FROM @workers WHERE shard = $1 AND seen_at > $2")
    static let leases = Statement("SELECT count(*) AS leases FROM @slots WHERE shard = $1 AND leased_until > $2")
    static let dropWorkers = Statement("DELETE FROM @workers WHERE shard = $1 AND (token = $2 OR seen_at < $3)")
}

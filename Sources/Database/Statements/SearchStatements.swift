/// The search index: the terms of each episode, and all words of a shard's episodes. Terms are numbers that differ from
/// shard to shard, so that those of one shard do not occur in another.
extension Statement {
    static let ofSearch: [Statement] = [
        indexed, indexedPodcasts, putIndexed, checkIndexed, sumIndexed, dropIndexed, dropPostings, dropOtherPostings,
        putPostings(2), putWords(2), knownWords, wordsBehind, episodeCounts, totals, podcastsWithTerm, resetIndexed,
        resetPostings,
        candidates(
            "(terms @> $6 AND (terms && $7 OR podcast = $8)) AND terms && $9",
            oldestFirst: false, byDate: false, limit: 10),
        candidates("terms @> $6", oldestFirst: false, byDate: true, limit: 7),
        candidates("true", oldestFirst: true, byDate: true, limit: 6),
    ]

    static let indexed = Statement(
        "SELECT podcast, revision, digest, language FROM @indexed WHERE shard = $1 AND podcast = ANY($2)")
    static let indexedPodcasts = Statement("SELECT podcast FROM @indexed WHERE shard = $1")
    static let putIndexed = Statement(
        """
        INSERT INTO @indexed AS i (shard, podcast, revision, digest, language, commit_id, episodes, title_bytes, text_bytes)
        VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 0)
        ON CONFLICT (shard, podcast) DO UPDATE
        SET revision = EXCLUDED.revision, digest = EXCLUDED.digest, language = EXCLUDED.language,
            commit_id = EXCLUDED.commit_id
        WHERE i.revision = $7 OR i.commit_id = $6
        """)
    /// Aborts the transaction with an error (22012) if somebody else wrote first.
    static let checkIndexed = Statement(
        "SELECT 1 / count(*) FROM @indexed WHERE shard = $1 AND podcast = $2 AND commit_id = $3")
    static let sumIndexed = Statement(
        """
        UPDATE @indexed AS i SET episodes = s.episodes, title_bytes = s.title_bytes, text_bytes = s.text_bytes
        FROM (SELECT count(*) AS episodes, coalesce(sum(title_bytes), 0)::int8 AS title_bytes,
            coalesce(sum(text_bytes), 0)::int8 AS text_bytes FROM @postings WHERE shard = $1 AND podcast = $2) AS s
        WHERE i.shard = $1 AND i.podcast = $2
        """)
    static let dropIndexed = Statement("DELETE FROM @indexed WHERE shard = $1 AND podcast = ANY($2)")
    static let dropPostings = Statement("DELETE FROM @postings WHERE shard = $1 AND podcast = ANY($2)")
    static let dropOtherPostings = Statement("DELETE FROM @postings WHERE shard = $1 AND podcast = $2 AND own <> ALL($3)")

    /// - Parameter count: number of rows, all of one podcast ($2).
    static func putPostings(_ count: Int) -> Statement {
        Statement(
            """
            INSERT INTO @postings (shard, podcast, own, published, title_bytes, text_bytes, terms, summary)
            VALUES \(values(["$1", "$2"], columns: 6, rows: count))
            ON CONFLICT (shard, podcast, own) DO UPDATE SET published = EXCLUDED.published,
                title_bytes = EXCLUDED.title_bytes, text_bytes = EXCLUDED.text_bytes, terms = EXCLUDED.terms,
                summary = EXCLUDED.summary
            """)
    }

    static func putWords(_ count: Int) -> Statement {
        Statement(
            "INSERT INTO @words (shard, word) VALUES \(values(["$1"], columns: 1, rows: count)) ON CONFLICT (shard, word) DO NOTHING"
        )
    }

    static let knownWords = Statement("SELECT word FROM @words WHERE shard = $1 AND word = ANY($2)")
    /// For each range from $2 to before $3, the first words in it, at most $4.
    static let wordsBehind = Statement(
        """
        SELECT v.low, w.word FROM unnest($2::bytea[], $3::bytea[]) AS v (low, high), LATERAL (
            SELECT word FROM @words WHERE shard = $1 AND word >= v.low AND word < v.high ORDER BY word LIMIT $4) AS w
        """)
    /// Contains each term condition twice: see `TermCondition.neededTerms`.
    static let episodeCounts = Statement(
        """
        SELECT v.term, (SELECT count(*) FROM @postings
            WHERE shard = $1 AND terms @> ARRAY[v.term] AND terms && ARRAY[v.term])
        FROM unnest($2::int8[]) AS v (term)
        """)
    static let totals = Statement(
        """
        SELECT coalesce(sum(episodes), 0)::int8, coalesce(sum(title_bytes), 0)::int8, coalesce(sum(text_bytes), 0)::int8
        FROM @indexed WHERE shard = $1
        """)
    static let podcastsWithTerm = Statement(
        """
        SELECT DISTINCT podcast FROM @postings
        WHERE shard = $1 AND terms @> ARRAY[$2::int8] AND terms && ARRAY[$2::int8]
        """)
    static let resetIndexed = Statement("DELETE FROM @indexed WHERE shard = $1")
    static let resetPostings = Statement("DELETE FROM @postings WHERE shard = $1")

    /// The episodes with dates from $2 to $3 that satisfy the condition, newest or oldest first, after the position
    /// with the date $4 and the id $5. The condition's own parameters follow; the last parameter is the limit.
    ///
    /// - Parameters:
    ///   - byDate: true to scan the episodes by date until there are enough; false to look them all up in the index of
    ///     terms. Each form is written so that the server cannot choose the other: it estimates the number of matches
    ///     badly.
    static func candidates(_ condition: String, oldestFirst: Bool, byDate: Bool, limit: Int) -> Statement {
        let (behind, order) = oldestFirst ? (">", "ASC") : ("<", "DESC")
        return Statement(
            """
            SELECT podcast, own, published, summary FROM @postings
            WHERE shard = $1 AND published >= $2 AND published <= $3
            AND (published \(behind) $4 OR published = $4 AND podcast || own > $5)
            AND \(byDate ? "coalesce(\(condition), false)" : condition)
            ORDER BY \(byDate ? "published" : "published + 0") \(order), podcast || own LIMIT $\(limit)
            """)
    }
}

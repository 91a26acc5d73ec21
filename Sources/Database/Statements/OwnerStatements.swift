/// The owner's data.
extension Statement {
    static let ofOwner: [Statement] = [
        documents, putDocument, addCommit, dropCommits, advanceOwner, beginOwner, ownerRevision, checkOwner, tags,
        tagged, allTags, pendingTags, putTags(2), dropTags, positions, allPositions, putPositions(2), dropPositions, undoSteps,
        putUndoStep, dropUndoSteps,
    ]

    static let documents = Statement("SELECT name, revision, body FROM @documents WHERE shard = $1 AND name = ANY($2)")
    static let putDocument = Statement(
        """
        INSERT INTO @documents AS d (shard, name, revision, body) VALUES ($1, $2, 1, $3)
        ON CONFLICT (shard, name) DO UPDATE SET revision = d.revision + 1, body = EXCLUDED.body
        """)
    /// Fails (23505) if the transaction was already committed.
    static let addCommit = Statement("INSERT INTO @commits (shard, id, at) VALUES ($1, $2, $3)")
    static let dropCommits = Statement("DELETE FROM @commits WHERE shard = $1 AND at < $2")
    static let advanceOwner = Statement(
        "UPDATE @owners SET revision = revision + 1, commit_id = $3 WHERE shard = $1 AND revision = $2")
    static let beginOwner = Statement(
        "INSERT INTO @owners (shard, revision, commit_id) VALUES ($1, 0, 0) ON CONFLICT (shard) DO NOTHING")
    static let ownerRevision = Statement("SELECT revision FROM @owners WHERE shard = $1")
    /// Aborts the transaction with an error (22012) if somebody else wrote first.
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

    static let positions = Statement("SELECT episode, body FROM @positions WHERE shard = $1 AND episode = ANY($2)")
    static let allPositions = Statement("SELECT episode, body FROM @positions WHERE shard = $1 ORDER BY episode")
    static func putPositions(_ count: Int) -> Statement {
        Statement(
            """
            INSERT INTO @positions (shard, episode, body) VALUES \(values(["$1"], columns: 2, rows: count))
            ON CONFLICT (shard, episode) DO UPDATE SET body = EXCLUDED.body
            """)
    }

    static let dropPositions = Statement("DELETE FROM @positions WHERE shard = $1 AND episode = ANY($2)")

    static let undoSteps = Statement("SELECT number, at, body FROM @undo WHERE shard = $1 ORDER BY number DESC")
    static let putUndoStep = Statement("INSERT INTO @undo (shard, number, at, body) VALUES ($1, $2, $3, $4)")
    static let dropUndoSteps = Statement("DELETE FROM @undo WHERE shard = $1 AND number = ANY($2)")
}

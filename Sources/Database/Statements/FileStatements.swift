/// Statements for a copy into a database.
extension Statement {
    static let ofFiles = [files, filePart, putFilePart, dropFileParts, finishCopy]

    static let files = Statement(
        """
        SELECT name, mode, digest, parts, count(*) AS stored_parts, sum(octet_length(body))::int8 AS bytes FROM @files
        WHERE shard = $1 GROUP BY name, mode, digest, parts
        """)
    static let filePart = Statement("SELECT body FROM @files WHERE shard = $1 AND name = $2 AND part = $3")
    static let putFilePart = Statement(
        """
        INSERT INTO @files (shard, name, part, parts, mode, digest, body) VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (shard, name, part) DO UPDATE
        SET parts = EXCLUDED.parts, mode = EXCLUDED.mode, digest = EXCLUDED.digest, body = EXCLUDED.body
        """)
    static let dropFileParts = Statement("DELETE FROM @files WHERE shard = $1 AND name = $2 AND part >= $3")
    /// The version of an unfinished copy is negative.
    static let finishCopy = Statement("UPDATE @version SET version = $2 WHERE shard = $1 AND version = $3")
}

/// Creation and version of a library.
extension Statement {
    static let ofSchema: [Statement] = [
        version, time, schemaExists, beginVersion, lockVersion, setVersion, beginShard,
    ]

    static let version = Statement(
        """
        SELECT version::int8 AS version, holder, (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS milliseconds
        FROM @version WHERE shard = $1
        """)
    static let time = Statement("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS milliseconds WHERE $1::int8 = 0")
    static let schemaExists = Statement(
        "SELECT 1::int8 FROM pg_catalog.pg_namespace WHERE $1::int8 = 0 AND convert_to(nspname::text, 'UTF8') = $2")
    static let beginVersion = Statement(
        "INSERT INTO @version (shard, version, holder, held_until) VALUES ($1, 0, 0, 0) ON CONFLICT (shard) DO NOTHING")
    static let lockVersion = Statement(
        """
        UPDATE @version SET holder = $2, held_until = $3 WHERE shard = $1 AND version = 0 AND held_until <= $4
        RETURNING holder
        """)
    /// The holder stays: from now on its number is the library's id.
    static let setVersion = Statement(
        "UPDATE @version SET version = $2, held_until = 0 WHERE shard = $1 AND holder = $3")
    static let beginShard = Statement("INSERT INTO @shards (shard, revision) VALUES ($1, 0) ON CONFLICT (shard) DO NOTHING")

    static func beginSchema(_ name: String) -> Statement { Statement("CREATE SCHEMA IF NOT EXISTS " + quoted(name)) }

    /// One of the definitions of `Schema`, which concern no rows.
    static func definition(_ text: String) -> Statement { Statement(text) }
}

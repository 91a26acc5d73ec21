/// The tables of the index. Another version of them means an index made anew.
enum Schema {
    static let version = 2

    /// FTS5 keeps only the words (`content=''`): the texts are in the library. It cannot forget a row without being
    /// told its text again, so a row that is in `words` but not in `episodes` is dead, and its number is not used again.
    ///
    /// - `episodes.rowid` is near the minute of publication (see `IndexWriter`), so that FTS5's own order is nearly
    ///   that of the dates.
    /// - `episodes.name` is the episode's id without its podcast's.
    /// - `vocabulary` counts the episodes that hold a word, dead ones included: for spelling help, inflected forms,
    ///   `prefix*` and ranking.
    /// - `transcripts.starts` has pairs of 4-byte numbers: a position in the transcript's words, and its second.
    /// - `state` has one row. `spread` is how far, in minutes, a rowid may be from the minute of publication; `recent`
    ///   is the rowid where the newest 100,000 episodes begin, about.
    ///
    /// FTS5 collects up to `hashsize` bytes of a transaction before it writes them, and merges what it wrote by eights
    /// (`automerge`): a large index is made twice as fast as with its defaults.
    static let sql = """
        CREATE TABLE podcasts(
            key INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, revision INTEGER NOT NULL, digest INTEGER NOT NULL);
        CREATE TABLE episodes(
            rowid INTEGER PRIMARY KEY, podcast INTEGER NOT NULL, name TEXT NOT NULL, digest INTEGER NOT NULL,
            publishedAt INTEGER, firstSeenAt INTEGER NOT NULL, duration REAL,
            titleHash INTEGER, titleLength INTEGER NOT NULL, textLength INTEGER NOT NULL);
        CREATE UNIQUE INDEX episodeNames ON episodes(podcast, name);
        CREATE INDEX episodeTitles ON episodes(titleHash);
        CREATE TABLE dead(rowid INTEGER PRIMARY KEY);
        CREATE TABLE transcripts(rowid INTEGER PRIMARY KEY, starts BLOB NOT NULL);
        CREATE TABLE vocabulary(word TEXT PRIMARY KEY, episodes INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE state(
            episodes INTEGER NOT NULL, dead INTEGER NOT NULL, titleLength INTEGER NOT NULL,
            textLength INTEGER NOT NULL, spread INTEGER NOT NULL, recent INTEGER NOT NULL);
        INSERT INTO state VALUES(0, 0, 0, 0, 0, 0);
        CREATE VIRTUAL TABLE words USING fts5(
            \(Column.allCases.map { "\($0)" }.joined(separator: ", ")), content='', columnsize=0, tokenize='jimmy');
        INSERT INTO words(words, rank) VALUES('hashsize', \(64 << 20));
        INSERT INTO words(words, rank) VALUES('automerge', 8);
        PRAGMA user_version = \(version);
        """
}

/// The one row of `state`.
struct IndexState {
    var episodes = 0
    var dead = 0
    /// Bytes of all titles, and of all other text.
    var titleLength = 0
    var textLength = 0
    var spread = 0
    var recent = 0

    init(of database: Database) throws {
        let row = try database.statement("SELECT episodes, dead, titleLength, textLength, spread, recent FROM state")
        defer { row.reset() }
        guard try row.step() else { throw DatabaseError(code: 11) }  // SQLITE_CORRUPT
        (episodes, dead, titleLength, textLength) = (row.int(0), row.int(1), row.int(2), row.int(3))
        (spread, recent) = (row.int(4), row.int(5))
    }

    func save(to database: Database) throws {
        let row = try database.statement(
            "UPDATE state SET episodes = ?1, dead = ?2, titleLength = ?3, textLength = ?4, spread = ?5, recent = ?6")
        for (index, value) in [episodes, dead, titleLength, textLength, spread, recent].enumerated() {
            row.bind(Int32(index + 1), value)
        }
        try row.run()
    }

    /// More dead rows than living ones: time to make the index anew.
    var isMostlyDead: Bool { dead > 10_000 && dead > episodes }
}

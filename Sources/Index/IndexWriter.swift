internal import Domain

/// Writes changes into the index, inside one transaction.
struct IndexWriter {
    private let database: Database
    private let reader: PlainText
    private var state: IndexState
    /// Texts to be handed to FTS5 in the order of their rows: out of order it would write a segment for each.
    private var waiting: [(rowid: Int, text: IndexedText)] = []
    private var waitingBytes = 0
    /// Minutes in which many episodes were published, and how far their search for a place went.
    private var crowded: [Int: Int] = [:]

    private static let mostWaitingBytes = 32 << 20

    init(_ database: Database, reader: PlainText) throws {
        self.database = database
        self.reader = reader
        state = try IndexState(of: database)
    }

    mutating func apply(_ changes: [IndexChange]) throws {
        for change in changes {
            switch change {
            case .episodes(let podcast, let channel, let episodes, let transcripts):
                try write(episodes, of: podcast, channel, transcripts: transcripts, isWhole: false)
            case .whole(let podcast, let channel, let episodes, let transcripts):
                try write(episodes, of: podcast, channel, transcripts: transcripts, isWhole: true)
            case .removed(let id):
                try remove(id)
            }
        }
        try writeWaiting()
        try saveVocabulary()
        state.recent = try beginningOfRecent()
        try state.save(to: database)
    }

    // MARK: Podcasts

    private mutating func write(
        _ episodes: [Episode], of podcast: Podcast, _ channel: Channel,
        transcripts: [EpisodeID: [TranscriptSegment]], isWhole: Bool
    ) throws {
        let text = PodcastText(podcast, channel)
        let known = try indexed(podcast.id)
        let key = try known?.key ?? insert(podcast.id)
        var rows = isWhole && known != nil ? try self.rows(of: key) : [:]
        for episode in episodes {
            let name = Self.name(of: episode.id)
            let row = isWhole ? rows.removeValue(forKey: name) : known == nil ? nil : try self.row(key, name)
            try write(episode, name, of: text, key: key, transcript: transcripts[episode.id] ?? [], over: row)
        }
        if isWhole {
            for row in rows.values { try delete(row) }
        }
        // What names the podcast is in every row: where it changed, the other episodes are behind, and the podcast is
        // left stale. So it is where a write of the library was missed.
        let isInLine = isWhole || (known?.revision ?? 0) == podcast.revision - 1 && (known?.digest ?? text.digest) == text.digest
        guard isInLine else { return }
        let update = try database.statement("UPDATE podcasts SET revision = ?2, digest = ?3 WHERE key = ?1")
        update.bind(1, key)
        update.bind(2, podcast.revision)
        update.bind(3, text.digest)
        try update.run()
    }

    private func indexed(_ id: PodcastID) throws -> (key: Int, revision: Int, digest: Int)? {
        let row = try database.statement("SELECT key, revision, digest FROM podcasts WHERE id = ?1")
        row.bind(1, id.text)
        defer { row.reset() }
        return try row.step() ? (row.int(0), row.int(1), row.int(2)) : nil
    }

    private func insert(_ id: PodcastID) throws -> Int {
        let insert = try database.statement("INSERT INTO podcasts(id, revision, digest) VALUES(?1, 0, 0) RETURNING key")
        insert.bind(1, id.text)
        guard try insert.step() else { return 0 }
        let key = insert.int(0)
        try insert.run()
        return key
    }

    private mutating func remove(_ id: PodcastID) throws {
        guard let key = try indexed(id)?.key else { return }
        for row in try rows(of: key).values { try delete(row) }
        let delete = try database.statement("DELETE FROM podcasts WHERE key = ?1")
        delete.bind(1, key)
        try delete.run()
    }

    // MARK: Episodes

    /// An episode as it is indexed.
    private struct Row {
        var rowid: Int
        var digest: Int
        var titleLength: Int
        var textLength: Int
    }

    private static let rowColumns = "rowid, digest, titleLength, textLength"

    private func row(_ key: Int, _ name: String) throws -> Row? {
        let row = try database.statement("SELECT \(Self.rowColumns) FROM episodes WHERE podcast = ?1 AND name = ?2")
        row.bind(1, key)
        row.bind(2, name)
        defer { row.reset() }
        return try row.step() ? read(row) : nil
    }

    private func rows(of key: Int) throws -> [String: Row] {
        let row = try database.statement("SELECT \(Self.rowColumns), name FROM episodes WHERE podcast = ?1")
        row.bind(1, key)
        defer { row.reset() }
        var rows: [String: Row] = [:]
        while try row.step() { rows[row.text(4)] = read(row) }
        return rows
    }

    private func read(_ row: Statement) -> Row {
        Row(rowid: row.int(0), digest: row.int(1), titleLength: row.int(2), textLength: row.int(3))
    }

    /// The id without its podcast's.
    static func name(of id: EpisodeID) -> String { String(id.text.drop { $0 != "-" }.dropFirst()) }

    private mutating func write(
        _ episode: Episode, _ name: String, of podcast: PodcastText, key: Int, transcript: [TranscriptSegment],
        over old: Row?
    ) throws {
        let text = IndexedText(episode, of: podcast, transcript: transcript, reader: reader)
        let digest = text.digest(of: episode)
        if let old {
            if old.digest == digest { return }
            try delete(old)
        }
        let title = episode.item.title ?? ""
        let row = Row(
            rowid: 0, digest: digest, titleLength: title.utf8.count,
            textLength: text[.text].utf8.count)
        let rowid = try insert(episode, name, key: key, row, titleHash: titleHash(title))
        waiting.append((rowid, text))
        waitingBytes += text.columns.reduce(0) { $0 + $1.utf8.count }
        if waitingBytes > Self.mostWaitingBytes { try writeWaiting() }
        try write(starts(of: transcript), of: rowid)
        state.episodes += 1
        state.titleLength += row.titleLength
        state.textLength += row.textLength
    }

    private mutating func writeWaiting() throws {
        let insert = try database.statement(Self.insertWords)
        for (rowid, text) in waiting.sorted(by: { $0.rowid < $1.rowid }) {
            insert.bind(1, rowid)
            for (index, column) in text.columns.enumerated() where !column.isEmpty { insert.bind(Int32(index + 2), column) }
            database.beginDocument()
            try insert.run()
            if database.collectedWords > 500_000 { try saveVocabulary() }
        }
        waiting.removeAll()
        waitingBytes = 0
    }

    private static let insertWords =
        "INSERT INTO words(rowid, \(Column.allCases.map { "\($0)" }.joined(separator: ", "))) "
        + "VALUES(\((1...Column.allCases.count + 1).map { "?\($0)" }.joined(separator: ", ")))"

    private mutating func delete(_ row: Row) throws {
        for sql in ["DELETE FROM episodes WHERE rowid = ?1", "INSERT INTO dead(rowid) VALUES(?1)",
            "DELETE FROM transcripts WHERE rowid = ?1"]
        {
            let statement = try database.statement(sql)
            statement.bind(1, row.rowid)
            try statement.run()
        }
        state.episodes -= 1
        state.dead += 1
        state.titleLength -= row.titleLength
        state.textLength -= row.textLength
    }

    /// Puts the episode at a free row number near its minute of publication: the neighbourhood in which a place is
    /// drawn doubles until one is found, so that even thousands of episodes of the same minute settle quickly.
    private mutating func insert(_ episode: Episode, _ name: String, key: Int, _ row: Row, titleHash: Int?) throws -> Int {
        let minute = IndexWriter.minute(of: episode.item.publishedAt)
        let draw = XXH64.hash(episode.id.text.utf8)
        let insert = try database.statement(
            """
            INSERT OR IGNORE INTO episodes(
                rowid, podcast, name, digest, publishedAt, firstSeenAt, duration, titleHash, titleLength, textLength)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """)
        let first = max(0, crowded[minute, default: 0] - 1)
        for attempt in first..<48 {
            let offset = Int((draw &* UInt64(2 * attempt + 1)) >> 20) & ((1 << min(attempt, 30)) - 1)
            let rowid = minute + offset
            if try isDead(rowid) { continue }
            insert.bind(1, rowid)
            insert.bind(2, key)
            insert.bind(3, name)
            insert.bind(4, row.digest)
            insert.bind(5, episode.item.publishedAt.map { Int($0.seconds) })
            insert.bind(6, Int(episode.firstSeenAt.seconds))
            insert.bind(7, episode.item.duration)
            insert.bind(8, titleHash)
            insert.bind(9, row.titleLength)
            insert.bind(10, row.textLength)
            try insert.run()
            guard database.changes == 1 else { continue }
            if attempt > 2 { crowded[minute] = attempt }
            state.spread = max(state.spread, offset)
            return rowid
        }
        throw DatabaseError(code: 13)  // SQLITE_FULL: no room left around that minute
    }

    /// Minutes since 1970, within what dates in feeds may seriously mean; 1 where there is none.
    static func minute(of time: Timestamp?) -> Int {
        guard let time else { return 1 }
        return min(max(Int(clamping: time.seconds) / 60, 1), 70_000_000)
    }

    /// 0 where the library is too small for it to matter.
    private func beginningOfRecent() throws -> Int {
        guard state.episodes > 200_000 else { return 0 }
        let row = try database.statement("SELECT rowid FROM episodes ORDER BY rowid DESC LIMIT 1 OFFSET 100000")
        defer { row.reset() }
        return try row.step() ? row.int(0) : 0
    }

    private func isDead(_ rowid: Int) throws -> Bool {
        guard state.dead > 0 else { return false }
        let row = try database.statement("SELECT 1 FROM dead WHERE rowid = ?1")
        row.bind(1, rowid)
        defer { row.reset() }
        return try row.step()
    }

    // MARK: Transcripts and words

    /// For each segment the position of its first word, and its second.
    private func starts(of transcript: [TranscriptSegment]) -> [UInt8] {
        var bytes: [UInt8] = []
        var position: UInt32 = 0
        for segment in transcript {
            if let start = segment.start {
                withUnsafeBytes(of: position) { bytes.append(contentsOf: $0) }
                withUnsafeBytes(of: Float(start)) { bytes.append(contentsOf: $0) }
            }
            withEachToken(of: segment.text) { _, _, _ in position += 1 }
        }
        return bytes
    }

    private func write(_ starts: [UInt8], of rowid: Int) throws {
        guard !starts.isEmpty else { return }
        let insert = try database.statement("INSERT INTO transcripts(rowid, starts) VALUES(?1, ?2)")
        insert.bind(1, rowid)
        insert.bind(2, blob: starts)
        try insert.run()
    }

    private func saveVocabulary() throws {
        let insert = try database.statement(
            """
            INSERT INTO vocabulary(word, episodes) VALUES(?1, ?2)
            ON CONFLICT(word) DO UPDATE SET episodes = episodes + excluded.episodes
            """)
        try database.takeWords { word, episodes in
            insert.bind(1, word: word)
            insert.bind(2, episodes)
            try insert.run()
        }
    }
}

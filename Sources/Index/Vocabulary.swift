/// The words of the index, with the number of episodes that hold each.
struct Vocabulary {
    struct Word {
        var text: String
        var episodes: Int
    }

    let database: Database

    func episodes(with word: String) throws -> Int {
        let row = try database.statement("SELECT episodes FROM vocabulary WHERE word = ?1")
        row.bind(1, word)
        defer { row.reset() }
        return try row.step() ? row.int(0) : 0
    }

    /// The most used words that begin with `prefix`.
    func words(prefix: String, limit: Int) throws -> [Word] {
        let row = try database.statement(
            "SELECT word, episodes FROM vocabulary WHERE word >= ?1 AND word < ?2 ORDER BY episodes DESC LIMIT ?3")
        return try read(row, prefix: prefix, limit: limit)
    }

    /// The inflected forms of an English word that the library holds, the most used first; `word` itself is not
    /// among them.
    func inflections(of word: String) throws -> [Word] {
        guard let stem = EnglishStem.of(word) else { return [] }
        let row = try database.statement(
            "SELECT word, episodes FROM vocabulary WHERE word >= ?1 AND word < ?2 LIMIT ?3")
        let related = try read(row, prefix: EnglishStem.sharedPrefix(of: stem), limit: 20_000)
            .filter { $0.text != word && EnglishStem.of($0.text) == stem }
        return Array(related.sorted { $0.episodes > $1.episodes }.prefix(12))
    }

    private func read(_ row: Statement, prefix: String, limit: Int) throws -> [Word] {
        row.bind(1, prefix)
        row.bind(2, prefix + "\u{10FFFF}")
        row.bind(3, limit)
        defer { row.reset() }
        var words: [Word] = []
        while try row.step() { words.append(Word(text: row.text(0), episodes: row.int(1))) }
        return words
    }
}

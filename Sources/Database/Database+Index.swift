public import Domain

/// The search index in the tables: terms and words, which this module stores without interpreting them.
extension Database {
    // MARK: Writing

    public func indexedStates(of podcasts: [PodcastID]) async throws -> [PodcastID: IndexedState] {
        let rows = try await session.read(
            Dictionary(grouping: podcasts, by: Shard.init).map { Transaction(.indexed, $0, .texts($1.map(\.text))) })
        return Dictionary(rows.all.map { (PodcastID(text: $0.text(0)), Self.state($0)) }) { a, _ in a }
    }

    private static func state(_ row: Row) -> IndexedState {
        IndexedState(revision: row.int(1), digest: UInt64(bitPattern: row.number(2) ?? 0), language: row.text(3))
    }

    public func indexedPodcasts() async throws -> Set<PodcastID> {
        let rows = try await session.read(Shard.all.map { Transaction(.indexedPodcasts, $0) })
        return Set(rows.all.map { PodcastID(text: $0.text(0)) }).subtracting([Self.whole])
    }

    /// The id under which the state of the whole index is stored.
    private static let whole = PodcastID(text: "")

    /// The library's revision that the index last matched.
    public func indexedRevision() async throws -> Int? {
        try await session.read([Transaction(.indexed, .owner, .texts([""]))]).all.first.map { $0.int(1) }
    }

    public func setIndexedRevision(_ revision: Int) async throws {
        let call = Self.put(
            Self.whole, IndexedState(revision: revision, digest: 0, language: ""), after: try await indexedRevision(),
            in: .owner, commit: .random(in: 1 ... .max))
        for reply in try await session.run([Transaction(call)]) { _ = try reply.orFailure() }
    }

    /// A podcast's new terms.
    public struct IndexWrite: Sendable {
        var terms: PodcastTerms
        var before: IndexedState?
        var whole: [EpisodeID]?

        /// - Parameters:
        ///   - before: the index's state before; if somebody else has changed it meanwhile, nothing is written.
        ///   - whole: all episodes of the podcast, so that others are dropped from the index; nil if these are only
        ///     some.
        public init(_ terms: PodcastTerms, before: IndexedState?, whole: [EpisodeID]? = nil) {
            (self.terms, self.before, self.whole) = (terms, before, whole)
        }
    }

    /// Writes each podcast in a transaction of its own. An incompletely written podcast remains outdated.
    public func write(_ writes: [IndexWrite]) async throws {
        guard !writes.isEmpty else { return }
        let commit = Int64.random(in: 1 ... .max)
        for reply in try await session.run(writes.map { transaction($0, commit) }) {
            if case .failure(let error) = reply, error.state == "22012" { continue }
            _ = try reply.orFailure()
        }
    }

    private static let (maxPostings, maxWords) = (128, 2_000)

    private func transaction(_ write: IndexWrite, _ commit: Int64) -> Transaction {
        let (terms, shard) = (write.terms, Shard(write.terms.podcast))
        let id = Parameter.text(terms.podcast.text)
        var calls = [
            Self.put(terms.podcast, terms.state, after: write.before?.revision, in: shard, commit: commit),
            Call(.checkIndexed, shard, id, .int(commit)),
        ]
        var episodes = terms.episodes[...]
        while !episodes.isEmpty {
            let rows = episodes.prefix(Self.maxPostings)
            episodes = episodes.dropFirst(Self.maxPostings)
            calls.append(
                Call(
                    .putPostings(rows.count), shard,
                    [id]
                        + rows.flatMap {
                            [
                                .bytes(Array($0.id.ownText.utf8)), .int($0.published), .int($0.titleBytes), .int($0.textBytes),
                                .ints($0.terms.map { shard.term($0) }), .bytes($0.summary),
                            ]
                        }))
        }
        if let whole = write.whole { calls.append(Call(.dropOtherPostings, shard, id, .texts(whole.map { String($0.ownText) }))) }
        calls.append(Call(.sumIndexed, shard, id))
        var words = terms.words[...]
        while !words.isEmpty {
            let rows = words.prefix(Self.maxWords)
            words = words.dropFirst(Self.maxWords)
            calls.append(Call(.putWords(rows.count), shard, rows.map { .bytes($0) }))
        }
        return Transaction(calls)
    }

    private static func put(
        _ podcast: PodcastID, _ state: IndexedState, after revision: Int?, in shard: Shard, commit: Int64
    ) -> Call {
        Call(
            .putIndexed, shard, .text(podcast.text), .int(state.revision), .int(Int64(bitPattern: state.digest)),
            .text(state.language), .int(commit), .int(revision ?? -1))
    }

    public func dropIndexed(_ podcasts: [PodcastID]) async throws {
        let transactions = Dictionary(grouping: podcasts, by: Shard.init).map { shard, podcasts in
            let ids = Parameter.texts(podcasts.map(\.text))
            return Transaction([Call(.dropIndexed, shard, ids), Call(.dropPostings, shard, ids)])
        }
        for reply in try await session.run(transactions) { _ = try reply.orFailure() }
    }

    /// Deletes the index, except for its words.
    public func resetIndex() async throws {
        let transactions = Shard.all.map { Transaction([Call(.resetIndexed, $0), Call(.resetPostings, $0)]) }
        for reply in try await session.run(transactions) { _ = try reply.orFailure() }
    }
}

extension Shard {
    /// A term's number in this shard.
    func term(_ hash: UInt64) -> Int64 { Int64(bitPattern: hash ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15) }
    /// The term with this number.
    func hash(_ term: Int64) -> UInt64 { UInt64(bitPattern: term) ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15 }
}

import Domain

/// Recognizes episodes after their feed moved to another host, where guids and URLs change, dates may shift or vanish, and
/// titles are typeset anew.
///
/// 1. Keys that only one item and one episode have are candidates: title, exact date, media file, season and number.
/// 2. The candidates show how dates changed: all by the same time, all to the day of the move, or all are gone.
/// 3. A candidate is accepted if its date fits and another fact agrees. Two different episodes must not become one, so
///   a daily `News`, or a new season of `Part 1` to `Part 8`, has no fact that is its own.
struct MovedEpisodes {
    private(set) var matches: [(item: Int, id: EpisodeID, by: EpisodeMatch)] = []

    /// Indices into `items` and `episodes`.
    private struct Pair: Hashable {
        let item: Int
        let episode: Int
    }

    /// How dates changed with the move.
    private enum Dates {
        case kept
        /// By one of these numbers of seconds.
        case shifted(Set<Int64>)
        /// All to these 24 hours.
        case oneDay(ClosedRange<Timestamp>)
        /// All from these 24 hours, to which another move had set them.
        case restored(ClosedRange<Timestamp>)
        case gone
        /// There were none before.
        case given
    }

    /// How the dates of a pair fit.
    private enum Fit {
        case same, explained, unknown, different
    }

    private let feed: [FeedItem]
    private let stored: [StoredEpisode]
    private let items: [Int]
    private let episodes: [Episode]
    private let new: [EpisodeTraits]
    private let old: [EpisodeTraits]
    private var dates = Dates.kept
    /// Pairs that share a fact which no other of these items and episodes has.
    private var facts: Set<Pair> = []
    /// Pairs whose titles differ from those of the others in more than numbers.
    private var distinctive: Set<Pair> = []
    /// True if every title is there again, and every file is at another host: no serial's new season, which has as many parts
    /// only by chance.
    private var isWholeMove = false
    private var matchedItems: Set<Int> = []
    private var matchedEpisodes: Set<Int> = []

    /// - Parameters:
    ///   - feed: all items of the feed.
    ///   - items: the indices of those without an episode.
    ///   - stored: all episodes of the podcast.
    ///   - episodes: those without an item that may be one of `items`.
    init(feed: [FeedItem], items: [Int], stored: [StoredEpisode], episodes: [Episode]) {
        (self.feed, self.items, self.stored, self.episodes) = (feed, items, stored, episodes)
        new = items.map { EpisodeTraits(feed[$0].item) }
        old = episodes.map { EpisodeTraits($0.item) }

        let titles = pairs({ $0.title.flatMap(EpisodeTraits.title) }, { $0.keys.title.flatMap(EpisodeTraits.title) })
        let days = pairs({ $0.publishedAt }, { $0.isWithdrawn ? nil : $0.keys.publishedAt })
        let media = pairs(
            { $0.enclosures.first?.url.flatMap(MediaAddress.init) }, { $0.keys.enclosureURL.flatMap(MediaAddress.init) })
        let numbers = pairs(EpisodeTraits.number)
        guard !titles.isEmpty || !days.isEmpty || !media.isEmpty || !numbers.isEmpty else { return }
        facts = factPairs()
        distinctive = Set(
            Dictionary(grouping: titles) { new[$0.item].shape }.compactMap {
                $0.key == nil || $0.value.count > 1 ? nil : $0.value[0]
            })
        isWholeMove = isWholeMove(titles)
        dates = dates(of: titles)
        accept(titles, by: .title, where: isTitleEnough)
        accept(days, by: .date, where: isDateEnough(among: days))
        accept(media, by: .enclosure, where: isMediaEnough)
        accept(numbers, by: .number, where: isNumberEnough)
    }

    // MARK: Candidates

    /// The items and episodes that share a key which no other item of the feed, and no other stored episode, has.
    ///
    /// - Parameter storedKey: nil if the key is not known of all stored episodes.
    private func pairs<Key: Hashable>(_ key: @escaping (Item) -> Key?, _ storedKey: ((StoredEpisode) -> Key?)? = nil) -> [Pair] {
        var pairs = distinctPairs(Dictionary(grouping: items.indices) { key(feed[items[$0]].item) }) {
            key(episodes[$0].item)
        }
        guard !pairs.isEmpty else { return [] }
        Self.removeShared(from: &pairs, feed.lazy.map { key($0.item) })
        if let storedKey { Self.removeShared(from: &pairs, stored.lazy.map(storedKey)) }
        return pairs.values.sorted { $0.item < $1.item }
    }

    private func distinctPairs<Key: Hashable>(_ itemsOfKey: [Key?: [Int]], _ key: (Int) -> Key?) -> [Key: Pair] {
        let episodesOfKey = Dictionary(grouping: episodes.indices, by: key)
        var pairs: [Key: Pair] = [:]
        for (key, items) in itemsOfKey {
            guard let key, items.count == 1, let episodes = episodesOfKey[key], episodes.count == 1 else { continue }
            pairs[key] = Pair(item: items[0], episode: episodes[0])
        }
        return pairs
    }

    private static func removeShared<Key: Hashable>(from pairs: inout [Key: Pair], _ keys: some Sequence<Key?>) {
        var seen: Set<Key> = []
        for case let key? in keys where pairs[key] != nil && !seen.insert(key).inserted { pairs[key] = nil }
    }

    private func factPairs() -> Set<Pair> {
        func pairs<Key: Hashable>(_ key: (EpisodeTraits) -> Key?) -> Dictionary<Key, Pair>.Values {
            distinctPairs(Dictionary(grouping: new.indices) { key(new[$0]) }) { key(old[$0]) }.values
        }
        return Set(pairs(\.duration)).union(pairs(\.length)).union(pairs(\.text)).union(pairs(\.numberedFile))
    }

    // MARK: The move

    /// Number of episodes from which a move is told, unless the dates shift by the same time.
    private static let minEpisodes = 3

    private func dates(of titles: [Pair]) -> Dates {
        let leaving = episodes.count { !$0.isWithdrawn }
        guard titles.count >= 2, titles.count * 2 > min(items.count, leaving), isInOrder(titles),
            titles.count(where: isContradicted) * 3 <= titles.count
        else { return .kept }
        let dated = titles.filter { new[$0.item].publishedAt != nil && old[$0.episode].publishedAt != nil }
        if let shift = shift(of: dated), dated.count * 3 >= titles.count * 2 { return .shifted(shift) }
        guard titles.count >= Self.minEpisodes else { return .kept }

        guard titles.count(where: isOfNoOther) * 3 >= titles.count * 2 else { return .kept }
        let lost = titles.count { new[$0.item].publishedAt == nil && old[$0.episode].publishedAt != nil }
        if lost * 3 >= titles.count * 2 { return .gone }
        let given = titles.count { new[$0.item].publishedAt != nil && old[$0.episode].publishedAt == nil }
        if given * 3 >= titles.count * 2 { return .given }
        guard dated.count * 3 >= titles.count * 2 else { return .kept }
        let after = dated.compactMap { new[$0.item].publishedAt }
        let before = dated.compactMap { old[$0.episode].publishedAt }
        if let day = Self.day(of: after, reset: before) { return .oneDay(day) }
        return Self.day(of: before, reset: after).map(Dates.restored) ?? .kept
    }

    private func isWholeMove(_ titles: [Pair]) -> Bool {
        let leaving = titles.count { !episodes[$0.episode].isWithdrawn }
        guard titles.count >= Self.minEpisodes, titles.count == items.count, leaving == episodes.count(where: { !$0.isWithdrawn })
        else { return false }
        let (after, before) = (titles.map { new[$0.item].media?.host }, titles.map { old[$0.episode].media?.host })
        return !after.contains(nil) && !before.contains(nil) && Set(after).isDisjoint(with: before)
    }

    /// True if most pairs follow each other as before, or in reverse.
    private func isInOrder(_ pairs: [Pair]) -> Bool {
        let place = Dictionary(uniqueKeysWithValues: zip(stored.lazy.map(\.id), stored.indices))
        let places = pairs.sorted { items[$0.item] < items[$1.item] }.map { place[episodes[$0.episode].id] ?? 0 }
        let rising = zip(places, places.dropFirst()).count { $0 < $1 }
        return max(rising, places.count - 1 - rising) * 3 >= (places.count - 1) * 2
    }

    /// The seconds by which nearly all dates shifted: one number, or two that are an hour apart where local times had
    /// been taken for UTC. Episodes must be further apart than that: programmes that replace each other every hour or
    /// day have dates that shift as well.
    private func shift(of pairs: [Pair]) -> Set<Int64>? {
        let shifts = pairs.map { pair -> Int64 in
            (new[pair.item].publishedAt?.seconds ?? 0) - (old[pair.episode].publishedAt?.seconds ?? 0)
        }
        let counts = Dictionary(shifts.map { ($0, 1) }, uniquingKeysWith: +)
        guard let most = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key, abs(most) <= 14 * 3_600 else {
            return nil
        }
        let other = [most - 3_600, most + 3_600].max { counts[$0, default: 0] < counts[$1, default: 0] } ?? most
        let shift: Set = counts[other] == nil ? [most] : [most, other]
        guard shifts.count(where: shift.contains) * 10 >= max(shifts.count, 2) * 9 else { return nil }
        let longest = shift.map(abs).max() ?? 0
        let times = pairs.compactMap { old[$0.episode].publishedAt?.seconds }.sorted()
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        return gaps.count { $0 > 2 * longest } * 2 >= gaps.count ? shift : nil
    }

    /// The 24 hours in which all are said to be published, though the true dates are many days before.
    private static func day(of dates: [Timestamp], reset truth: [Timestamp]) -> ClosedRange<Timestamp>? {
        guard let first = dates.min(), let last = dates.max(), last.seconds - first.seconds <= 86_400,
            let latest = truth.max(), first.seconds >= latest.seconds - 86_400
        else { return nil }
        let days = Set(truth.map { $0.seconds / 86_400 }).count
        return days >= minEpisodes && days * 2 > truth.count ? first...last : nil
    }

    // MARK: Decisions

    private func isOfNoOther(_ pair: Pair) -> Bool { isWholeMove || facts.contains(pair) || distinctive.contains(pair) }

    private func isConfirmed(_ pair: Pair) -> Bool {
        facts.contains(pair) && new[pair.item].isConfirmed(by: old[pair.episode])
    }

    private func isContradicted(_ pair: Pair) -> Bool { new[pair.item].contradicts(old[pair.episode]) }

    private func fit(_ pair: Pair) -> Fit {
        let (after, before) = (new[pair.item].publishedAt, old[pair.episode].publishedAt)
        switch (dates, after, before) {
        // Programs round seconds, and no programme has two episodes in a minute.
        case (_, let after?, let before?) where abs(after.seconds - before.seconds) <= 60: return .same
        case (.shifted(let shift), let after?, let before?) where shift.contains(after.seconds - before.seconds):
            return .explained
        case (.oneDay(let day), let after?, _) where day.contains(after): return .explained
        case (.restored(let day), _, let before?) where day.contains(before): return .explained
        case (.gone, nil, _), (.given, .some, nil): return .explained
        case (_, .some, .some): return .different
        default: return .unknown
        }
    }

    private func isTitleEnough(_ pair: Pair) -> Bool {
        let (after, before) = (new[pair.item], old[pair.episode])
        switch fit(pair) {
        case .same: return true
        case .explained:
            if case .shifted = dates { return true }
            return isOfNoOther(pair)
        case .unknown: return hasSameText(pair) && (after.hasFile(of: before) || isUnnamed(pair) && after.media == before.media)
        case .different: return false
        }
    }

    private func isDateEnough(among pairs: [Pair]) -> (Pair) -> Bool {
        let confirmed = Set(
            pairs.filter {
                new[$0.item].hasTitle(like: old[$0.episode]) || isConfirmed($0)
            })
        let isMove = confirmed.count >= Self.minEpisodes && confirmed.count * 3 >= pairs.count * 2
        return { isMove || confirmed.contains($0) }
    }

    private func isMediaEnough(_ pair: Pair) -> Bool {
        let (after, before) = (new[pair.item], old[pair.episode])
        guard after.hasTitle(like: before) else { return false }
        switch fit(pair) {
        case .same, .explained: return true
        case .unknown: return hasSameText(pair) && (isUnnamed(pair) || after.hasFile(of: before))
        case .different: return false
        }
    }

    private func isNumberEnough(_ pair: Pair) -> Bool {
        let hasTitle = new[pair.item].hasTitle(like: old[pair.episode])
        switch fit(pair) {
        case .same: return hasTitle || isConfirmed(pair)
        case .explained, .unknown: return hasTitle && isConfirmed(pair)
        case .different: return false
        }
    }

    /// False if both have a description and they differ.
    private func hasSameText(_ pair: Pair) -> Bool {
        guard let text = new[pair.item].text, let other = old[pair.episode].text else { return true }
        return text == other
    }

    private func isUnnamed(_ pair: Pair) -> Bool { !new[pair.item].hasGuid && !old[pair.episode].hasGuid }

    private mutating func accept(_ pairs: [Pair], by match: EpisodeMatch, where isEnough: (Pair) -> Bool) {
        for pair in pairs where !matchedItems.contains(pair.item) && !matchedEpisodes.contains(pair.episode) {
            guard !isContradicted(pair), isEnough(pair) else { continue }
            matchedItems.insert(pair.item)
            matchedEpisodes.insert(pair.episode)
            matches.append((items[pair.item], episodes[pair.episode].id, match))
        }
    }
}

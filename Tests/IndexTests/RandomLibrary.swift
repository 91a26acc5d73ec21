import Domain
import Searching
import SeededNumbers

@testable import Index

/// A library that changes at random, the same in every run.
struct RandomLibrary {
    var model = SearchModel()
    private var dice: SplitMix
    private var podcasts: [PodcastID: (podcast: Podcast, channel: Channel, indexed: Int)] = [:]
    private var nextEpisode = 0

    private static let words = """
        run running ran runs story stories boat boats boating live stream livestream live-stream livestreams wi-fi wifi wi fi
        don't dont O'Brien obrien AC/DC acdc C++ C# C 1,000 1000 1.000 café cafe cafés Müller mueller Mueller muller straße strasse
        東京都 京都 東京タワー コンピューター コンピュータ 한국뉴스 한국 뉴스 สวัสดี 🎙️ 🎙 night nights radio radios green tea teas cake cakes lemon harbour
        harbor harbors haven havens house houses housing Haus Häuser über uber naïve naive co-op coop re-elect reelect 12 2024 3 007
        and rock roll rockroll rock&roll R&B organ organs organization steam streamline stream-line lineup line up data database base
        Книга книги книг мир мира être etre était storm storms stormy the of is zebra xylophone quokka axolotl
        """.split { $0 == " " || $0 == "\n" }.map(String.init)

    init(seed: UInt64) { dice = SplitMix(seed: seed) }

    mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &dice) }
    mutating func pick<Value>(_ values: [Value]) -> Value { values[roll(values.count)] }

    mutating func word() -> String {
        let count = Self.words.count
        return roll(3) == 0 ? Self.words[roll(count)] : Self.words[roll(roll(count) + 1)]
    }

    mutating func text(_ count: Int) -> String {
        var text = ""
        for place in 0..<count {
            if place > 0 { text += pick([" ", " ", " ", " ", " ", ", ", ". ", " – ", "-", "\n"]) }
            text += roll(12) == 0 ? word().uppercased() : word()
        }
        return text
    }

    // MARK: Changes

    /// Some changes, as they may be given to an index at once.
    mutating func changes() -> [IndexChange] {
        var touched: Set<PodcastID> = []
        return (0..<pick([1, 1, 1, 3])).compactMap { _ in
            let id = PodcastID(text: "pod000\(10 + roll(12))")
            return touched.insert(id).inserted ? change(id) : nil
        }
    }

    private mutating func change(_ id: PodcastID) -> IndexChange {
        guard var stored = podcasts[id] else {
            var channel = Channel()
            channel.title = pick([nil, text(2)])
            channel.author = pick([nil, text(1)])
            channel.language = pick(["en", "de", "fr", nil, "ja", "en"])
            channel.keywords = pick([[], [text(2)]])
            podcasts[id] = (podcast(id.text, title: text(2)), channel, 0)
            for _ in 0..<pick([1, 5, 20, 30]) { add(to: id) }
            return whole(id)
        }
        let ids = model.documents.keys.filter { $0.podcastID == id }.sorted()
        switch roll(8) {
        case 0:
            for id in ids { model.documents[id] = nil }
            podcasts[id] = nil
            return .removed(id)
        case 1:
            for id in ids where roll(2) == 0 { model.documents[id] = nil }
            return whole(id)
        case 2:
            stored.channel.title = text(2)
            podcasts[id] = stored
            return whole(id)
        default:
            stored.podcast.contentRevision += 1
            podcasts[id] = stored
            var changed: [EpisodeID] = []
            for id in ids where roll(6) == 0 {
                alter(id)
                changed.append(id)
            }
            for _ in 0..<roll(4) { changed.append(add(to: id)) }
            let documents = changed.compactMap { model.documents[$0] }
            let change = IndexChange.episodes(
                of: stored.podcast, after: stored.indexed, stored.channel, documents.map(\.episode),
                transcripts: transcripts(documents))
            podcasts[id]?.indexed = stored.podcast.contentRevision
            return change
        }
    }

    private func transcripts(_ documents: [SearchModel.Document]) -> [EpisodeID: [TranscriptSegment]] {
        Dictionary(uniqueKeysWithValues: documents.filter { !$0.transcript.isEmpty }.map { ($0.episode.id, $0.transcript) })
    }

    private mutating func whole(_ id: PodcastID) -> IndexChange {
        let revision = (podcasts[id]?.podcast.contentRevision ?? 0) + 1
        podcasts[id]?.podcast.contentRevision = revision
        podcasts[id]?.indexed = revision
        return current(id)
    }

    func current(_ id: PodcastID) -> IndexChange {
        guard let stored = podcasts[id] else { return .removed(id) }
        let documents = model.documents.values.filter { $0.podcast.id == id }.sorted { $0.episode.id < $1.episode.id }
        return .whole(stored.podcast, stored.channel, documents.map(\.episode), transcripts: transcripts(documents))
    }

    /// The library as it is now.
    var all: [IndexChange] { podcasts.keys.sorted().map(current) }

    var revisions: [PodcastID: Int] { podcasts.mapValues(\.podcast.contentRevision) }

    mutating func learnLanguages(of index: SegmentIndex) async throws {
        for (id, stored) in podcasts {
            let language = try await index.language(of: id).flatMap { Language(code: $0.utf8) } ?? .undetermined
            for document in model.documents.values where document.podcast.id == id {
                if document.language == language, document.channel == stored.channel { continue }
                model.documents[document.episode.id] = SearchModel.Document(
                    document.episode, stored.podcast, stored.channel, document.transcript, language)
            }
        }
    }

    @discardableResult private mutating func add(to id: PodcastID) -> EpisodeID {
        guard let stored = podcasts[id] else { preconditionFailure("\(id)") }
        nextEpisode += 1
        let made = episode("e\(nextEpisode)", text(pick([1, 2, 4])), age: Int64(nextEpisode), of: id.text)
        model.documents[made.id] = SearchModel.Document(made, stored.podcast, stored.channel, [], .undetermined)
        alter(made.id)
        return made.id
    }

    private mutating func alter(_ id: EpisodeID) {
        guard let old = model.documents[id] else { return }
        var (episode, transcript) = (old.episode, old.transcript)
        var item = episode.item
        if roll(3) == 0 { item.title = text(pick([1, 2, 4])) }
        if roll(6) == 0 { item.itunesTitle = pick([nil, text(2)]) }
        let ending = pick(["", "", " Thanks to all of our listeners of the live-stream, and don't forget: co-op radio wi-fi 東京都"])
        if roll(2) == 0 { item.description = text(pick([1, 8, 40])) + ending }
        if roll(3) == 0 { item.content = pick([nil, "<p>" + text(10) + "</p>" + ending]) }
        if roll(3) == 0 { item.author = pick([nil, text(2)]) }
        if roll(4) == 0 { item.tags = (0..<roll(4)).map { _ in text(pick([1, 2])) } }
        if roll(4) == 0 {
            item.persons = (0..<roll(3)).map { _ in
                var person = Person()
                person.name = text(2)
                return person
            }
        }
        if roll(4) == 0 {
            item.extras.inlineChapters = (0..<roll(3)).map { _ in
                var chapter = Chapter()
                chapter.title = text(2)
                return chapter
            }
        }
        if roll(3) == 0 { item.duration = pick([nil, 60, 1_800, 3_600, 90.5]) }
        if roll(3) == 0 { item.type = pick([nil, "full", "bonus", "trailer"]) }
        if roll(3) == 0 {
            item.season = Season()
            item.season?.number = pick([1, 2, 3, 1.5, nil])
        }
        if roll(10) == 0 { item.publishedAt = pick([nil, day - Int64(roll(4_000)) * 86_400, Timestamp(seconds: -86_400 * 300)]) }
        if roll(5) == 0 { episode.withdrawnAt = pick([nil, day]) }
        if roll(4) == 0 {
            transcript = (0..<roll(5)).map { place in
                var segment = TranscriptSegment(start: Double(place) * 10, text: text(6))
                (segment.isAd, segment.isHomemade) = (roll(4) == 0, false)
                return segment
            }
        }
        episode.item = item
        model.documents[id] = SearchModel.Document(episode, old.podcast, old.channel, transcript, old.language)
    }

    // MARK: Queries

    mutating func request() -> SearchRequest {
        var request = SearchRequest(text: query(depth: 2))
        request.now = pick([nil, day])
        let ids = model.documents.keys.sorted()
        if let tag = Domain.Tag("mine"), !ids.isEmpty {
            request.tagged = [tag: ids.filter { _ in roll(3) == 0 }]
            request.taggedPodcasts = [tag: pick([[], [pick(ids).podcastID]])]
        }
        request.queue = ids.filter { _ in roll(9) == 0 }.shuffled(using: &dice)
        if roll(6) == 0 { request.hidden = ids.filter { _ in roll(3) == 0 } }
        if roll(9) == 0, !ids.isEmpty { request.podcast = pick(ids).podcastID }
        if roll(12) == 0 { request.since = day - Int64(roll(400)) * 86_400 }
        if roll(12) == 0 { request.until = day - Int64(roll(400)) * 86_400 }
        return request
    }

    private mutating func query(depth: Int) -> String {
        (0..<pick([1, 1, 2, 2, 3])).map { place in
            let joint = place == 0 ? pick(["", "", "", "-"]) : pick(["", "", "", "OR ", "OR ", "-", "NOT "])
            return joint + (depth > 0 && roll(5) == 0 ? "(" + query(depth: depth - 1) + ")" : operand())
        }.joined(separator: " ")
    }

    private mutating func operand() -> String {
        let field = pick(["", "", "", "", "title:", "podcast:", "author:", "person:", "keyword:", "chapter:", "said:"])
        switch roll(12) {
        case 0...4: return field + word()
        case 5: return field + String(word().prefix(1 + roll(4))) + "*"
        case 6: return field + "\"" + piece() + "\""
        case 7: return field + "\"" + word() + "\""
        case 8: return word() + "-" + word() + pick(["", "*"])
        case 9: return piece()
        default:
            return pick([
                "after:\(2018 + roll(6))", "before:\(2018 + roll(6))", "longer:20m", "shorter:1h", "season:\(1 + roll(3))",
                "type:full", "type:bonus", "in:queue", "tag:mine", "is:withdrawn", "has:transcript", "has:chapters",
                "source:published", "added:2023..", "added:..2022",
            ])
        }
    }

    /// Adjacent words of a text of the library.
    private mutating func piece() -> String {
        let ids = model.documents.keys.sorted()
        guard !ids.isEmpty, let document = model.documents[pick(ids)] else { return word() }
        let texts = [document.episode.item.title, document.episode.item.description] + document.transcript.map(\.text)
        let words = (pick(texts) ?? "").split { " \n\"().,".contains($0) }
        guard !words.isEmpty else { return word() }
        let start = roll(words.count)
        return words[start..<min(words.count, start + 1 + roll(3))].joined(separator: " ")
    }
}

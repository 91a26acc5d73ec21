import Domain
import Scheduling

/// A podcast's entry in the catalogue: numbers only, so that all entries can be scanned in a few milliseconds.
struct CatalogueEntry {
    /// 64-bit words of an entry.
    static let words = 25

    private enum Word: Int {
        case idHigh, idLow, firstLine, lines, nextDueAt, retryAfter, lastAttemptAt, subscribedAt, latestEpisodeAt, lastAddedAt
        case failingSince, movedAt, dormantAfter, contentRevision, episodesRevision, transcriptsDueAt, episodeCount, host
        case feedURL, title, channelTitle, flags, titleStart, titleLength, chaptersDueAt
    }

    private enum Flag {
        static let paused: UInt64 = 1
        static let gone: UInt64 = 2
        static let succeeded: UInt64 = 4
        static let slow: UInt64 = 8
        static let transcriptsOn: UInt64 = 16
        static let transcriptsOff: UInt64 = 32
        static let transcriptsNew: UInt64 = 64
        static let chaptersNew: UInt64 = 128
        /// `HealthFacts.Failure` is stored in the bits from here on.
        static let failureShift: UInt64 = 8
        static let chaptersOn: UInt64 = 1 << 10
        static let chaptersOff: UInt64 = 1 << 11
    }

    private static let none = UInt64(bitPattern: Int64.min)

    /// nil: all words read as zero.
    private let base: UnsafeRawPointer?

    init(at base: UnsafeRawPointer) { self.base = base }

    private init() { base = nil }

    /// Stands in for an entry that cannot be read.
    static var unreadable: CatalogueEntry { CatalogueEntry() }

    private subscript(_ word: Word) -> UInt64 {
        base?.loadUnaligned(fromByteOffset: word.rawValue * 8, as: UInt64.self) ?? 0
    }
    private func number(_ word: Word) -> Int { Int(truncatingIfNeeded: Int64(bitPattern: self[word])) }
    private func time(_ word: Word) -> Timestamp? {
        let value = self[word]
        return value == Self.none ? nil : Timestamp(seconds: Int64(bitPattern: value))
    }
    private func has(_ flag: UInt64) -> Bool { self[.flags] & flag != 0 }

    // MARK: Reading

    var key: Key { Key(high: self[.idHigh], low: self[.idLow]) }
    /// Indices of the podcast's lines in the table of lines.
    var lines: Range<Int> { number(.firstLine)..<number(.firstLine) + number(.lines) }
    var host: UInt64 { self[.host] }
    var feedURL: UInt64 { self[.feedURL] }
    var titles: (own: UInt64, channel: UInt64) { (self[.title], self[.channelTitle]) }
    var titleRange: Range<Int> { number(.titleStart)..<number(.titleStart) + number(.titleLength) }

    var due: Schedule.DueFacts {
        var facts = Schedule.DueFacts()
        facts.isPaused = isPaused
        facts.isGone = has(Flag.gone)
        facts.lastAttemptAt = time(.lastAttemptAt)
        facts.retryAfter = time(.retryAfter)
        facts.nextDueAt = time(.nextDueAt)
        return facts
    }

    var health: HealthFacts {
        var facts = HealthFacts()
        facts.isPaused = isPaused
        facts.isGone = has(Flag.gone)
        facts.failingSince = time(.failingSince)
        facts.failure = HealthFacts.Failure(rawValue: Int(self[.flags] >> Flag.failureShift & 3)) ?? .other
        facts.hasSucceeded = has(Flag.succeeded)
        facts.movedAt = time(.movedAt)
        facts.isSlow = has(Flag.slow)
        facts.latestEpisodeAt = latestEpisodeAt
        facts.dormantAfter = Int64(bitPattern: self[.dormantAfter])
        return facts
    }

    // MARK: Writing

    /// - Parameter hashes: those of this podcast.
    /// - Returns: the words without the places of lines and title; nil if the id is too long for an entry.
    static func words(of podcast: Podcast, _ hashes: Hashes) -> [UInt64]? {
        guard let key = Key(podcast.id) else { return nil }
        func time(_ time: Timestamp?) -> UInt64 { time.map { UInt64(bitPattern: $0.seconds) } ?? none }
        func number(_ number: Int) -> UInt64 { UInt64(bitPattern: Int64(number)) }
        let (due, health) = (podcast.due, podcast.health)
        let (transcripts, chapters) = (podcast.facts(of: .transcript), podcast.facts(of: .chapters))
        var flags: UInt64 = UInt64(health.failure.rawValue) << Flag.failureShift
        if health.isPaused { flags |= Flag.paused }
        if health.isGone { flags |= Flag.gone }
        if health.hasSucceeded { flags |= Flag.succeeded }
        if health.isSlow { flags |= Flag.slow }
        if let wanted = transcripts.isWanted { flags |= wanted ? Flag.transcriptsOn : Flag.transcriptsOff }
        if transcripts.hasNew { flags |= Flag.transcriptsNew }
        if let wanted = chapters.isWanted { flags |= wanted ? Flag.chaptersOn : Flag.chaptersOff }
        if chapters.hasNew { flags |= Flag.chaptersNew }
        return [
            key.high, key.low, 0, 0, time(due.nextDueAt), time(due.retryAfter),
            time(due.lastAttemptAt), time(podcast.subscribedAt), time(podcast.latestEpisodeAt),
            time(podcast.lastAddedAt), time(health.failingSince), time(health.movedAt), UInt64(bitPattern: health.dormantAfter),
            number(podcast.contentRevision), number(podcast.episodesRevision), time(transcripts.dueAt),
            number(podcast.episodeCount), hashes.host, hashes.feedURL, hashes.title, hashes.channelTitle, flags, 0, 0,
            time(chapters.dueAt),
        ]
    }

    /// Sets the places of the podcast's lines and title in the parts that follow the entries.
    static func place(_ words: inout [UInt64], lines: Range<Int>, title: Range<Int>) {
        words[Word.firstLine.rawValue] = UInt64(lines.lowerBound)
        words[Word.lines.rawValue] = UInt64(lines.count)
        words[Word.titleStart.rawValue] = UInt64(title.lowerBound)
        words[Word.titleLength.rawValue] = UInt64(title.count)
    }

    /// All words of this entry.
    var words: [UInt64] {
        guard let base else { return [] }
        return (0..<Self.words).map { base.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
    }

    /// Hashes by which podcasts are found. Computing them costs more than everything else in an entry.
    struct Hashes {
        var host: UInt64
        var feedURL: UInt64
        /// Of the title shown, in lower case.
        var title: UInt64
        /// Of the channel's own title in lower case; 0 if it has none.
        var channelTitle: UInt64

        /// - Parameter title: the title shown, in lower case.
        init(_ podcast: Podcast, title: [UInt8]) {
            (host, feedURL) = (hash(podcast.hostKey), hash(podcast.feedURL))
            self.title = XXH64.hash(title)
            channelTitle =
                podcast.title.map { [own = self.title] in
                    podcast.settings.title == nil ? own : hash($0.lowercased())
                } ?? 0
        }

        fileprivate init(_ entry: CatalogueEntry) {
            (host, feedURL) = (entry[.host], entry[.feedURL])
            (title, channelTitle) = (entry[.title], entry[.channelTitle])
        }
    }

    var hashes: Hashes { Hashes(self) }

    static func hash(_ text: String) -> UInt64 { XXH64.hash(text.utf8) }

    /// An id as two numbers, which sort as the ids do.
    struct Key: Hashable, Comparable {
        var high: UInt64
        var low: UInt64

        init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

        init?(_ id: PodcastID) {
            let utf8 = Array(id.text.utf8)
            guard utf8.count <= 16, !utf8.contains(0) else { return nil }
            func pack(_ bytes: ArraySlice<UInt8>) -> UInt64 {
                var value: UInt64 = 0
                for index in 0..<8 { value = value << 8 | UInt64(index < bytes.count ? bytes[bytes.startIndex + index] : 0) }
                return value
            }
            (high, low) = (pack(utf8.prefix(8)), pack(utf8.dropFirst(8)))
        }

        var id: PodcastID {
            var bytes: [UInt8] = []
            for word in [high, low] {
                for index in 0..<8 {
                    let byte = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index))
                    if byte != 0 { bytes.append(byte) }
                }
            }
            return PodcastID(text: String(decoding: bytes, as: UTF8.self))
        }

        static func < (a: Key, b: Key) -> Bool { a.high == b.high ? a.low < b.low : a.high < b.high }
    }
}

extension CatalogueEntry: PodcastFacts {
    var id: PodcastID { key.id }
    var subscribedAt: Timestamp { time(.subscribedAt) ?? Timestamp(seconds: 0) }
    var latestEpisodeAt: Timestamp? { time(.latestEpisodeAt) }
    var lastAddedAt: Timestamp? { time(.lastAddedAt) }
    var episodeCount: Int { number(.episodeCount) }
    var episodesRevision: Int { number(.episodesRevision) }
    var contentRevision: Int { number(.contentRevision) }
    var isPaused: Bool { has(Flag.paused) }

    func facts(of text: EpisodeText) -> TextFacts {
        switch text {
        case .transcript:
            TextFacts(
                isWanted: choice(Flag.transcriptsOn, Flag.transcriptsOff), hasNew: has(Flag.transcriptsNew),
                dueAt: time(.transcriptsDueAt))
        case .chapters:
            TextFacts(
                isWanted: choice(Flag.chaptersOn, Flag.chaptersOff), hasNew: has(Flag.chaptersNew), dueAt: time(.chaptersDueAt))
        }
    }

    private func choice(_ on: UInt64, _ off: UInt64) -> Bool? { has(on) ? true : has(off) ? false : nil }
}

/// What a line of `jimmy tag --dump` says besides tags, a word for each fact:
///
/// - `position=754/2700`: seconds heard, and the length that the player saw, if it is known
/// - `heard=2026-11-20T08:00:00Z`: when the owner last heard it; `played=…`: when it was last heard to its end
/// - `listened=2026-11-20T07:30:00Z/1800`: a time of listening, and how many seconds were heard
/// - `mark=754/2026-11-20T08:00:00Z/the%20bell`: a bookmark, when it was set, and its note
/// - `or=https://media.example/1.mp3`: another key, for an episode that the first one does not find
/// - `queued=3`: its place in the queue of the program that the line was imported from
public struct LineFacts: Hashable, Sendable {
    public var seconds: Double?
    public var duration: Double?
    public var heardAt: Timestamp?
    public var playedAt: Timestamp?
    public var heard: [HeardSpan] = []
    public var marks: [Mark] = []
    /// Counted from 1.
    public var queuePlace: Int?
    public var otherKey: String?

    /// A bookmark without its episode.
    public struct Mark: Hashable, Sendable {
        public var seconds: Int
        public var at: Timestamp
        public var note: String
    }

    public init() {}

    /// - Parameter words: those that cannot be read are left out.
    public init(_ words: [String]) { for word in words { _ = read(word[...]) } }

    public init(_ position: PlayPosition?, _ bookmarks: [Bookmark]) {
        if let position {
            (seconds, duration, heardAt) = (position.seconds, position.duration, position.at)
            (playedAt, heard) = (position.playedAt, position.heard)
        }
        marks = bookmarks.map { Mark(seconds: $0.seconds, at: $0.at, note: $0.note) }
    }

    public var isEmpty: Bool { self == LineFacts() }

    /// Longest number of seconds that is read.
    private static let maxSeconds = 1e7

    // MARK: Words

    public var words: [String] {
        var words: [String] = []
        if let seconds { words.append("position=\(Self.text(seconds))" + (duration.map { "/" + Self.text($0) } ?? "")) }
        if let heardAt { words.append("heard=\(heardAt)") }
        if let playedAt { words.append("played=\(playedAt)") }
        words += heard.map { "listened=\($0.at)/\(Self.text($0.seconds))" }
        words += marks.map { "mark=\($0.seconds)/\($0.at)/\(TagLine.encoded($0.note, blanks: true))" }
        if let queuePlace { words.append("queued=\(queuePlace)") }
        if let otherKey { words.append("or=\(TagLine.encoded(otherKey, blanks: true))") }
        return words
    }

    private static func text(_ seconds: Double) -> String { Int(exactly: seconds).map(String.init) ?? "\(seconds)" }

    /// - Returns: false if the word is no fact.
    mutating func read(_ word: Substring) -> Bool {
        guard let equals = word.firstIndex(of: "=") else { return false }
        if word.hasPrefix("or=") {
            guard let key = TagLine.decoded(word[word.index(after: equals)...]), !key.isEmpty else { return false }
            otherKey = key
            return true
        }
        let parts = word[word.index(after: equals)...].split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        switch word[..<equals] {
        case "position":
            guard parts.count <= 2, let seconds = Self.seconds(parts[0]) else { return false }
            let duration = parts.count == 2 ? Self.seconds(parts[1]) : nil
            guard parts.count == 1 || duration != nil else { return false }
            (self.seconds, self.duration) = (seconds, duration)
        case "heard":
            guard parts.count == 1, let time = Self.time(parts[0]) else { return false }
            heardAt = time
        case "played":
            guard parts.count == 1, let time = Self.time(parts[0]) else { return false }
            playedAt = time
        case "listened":
            guard parts.count == 2, let time = Self.time(parts[0]), let seconds = Self.seconds(parts[1]) else { return false }
            heard.append(HeardSpan(at: time, seconds: seconds))
        case "mark":
            guard parts.count == 3, let seconds = Int(parts[0]), (0...Bookmark.maxSeconds).contains(seconds),
                let time = Self.time(parts[1]), let note = TagLine.decoded(parts[2]), note.count <= Bookmark.maxNote
            else { return false }
            marks.append(Mark(seconds: seconds, at: time, note: note))
        case "queued":
            guard parts.count == 1, let place = Int(parts[0]), place > 0 else { return false }
            queuePlace = place
        default: return false
        }
        return true
    }

    private static func seconds(_ text: Substring) -> Double? {
        Double(text).flatMap { (0...maxSeconds).contains($0) ? $0 : nil }
    }

    private static func time(_ text: Substring) -> Timestamp? { Timestamp(String(text)) }
}

extension OwnedState {
    /// Gives an episode the position and the bookmarks of a line. What is stored and is later stays.
    public mutating func take(_ facts: LineFacts, of id: EpisodeID, now: Timestamp) {
        let stored = positions[id]
        if facts.seconds != nil || facts.playedAt != nil || !facts.heard.isEmpty {
            let at = facts.heardAt ?? facts.playedAt ?? facts.heard.last?.at ?? now
            var position = PlayPosition(episodeID: id, seconds: facts.seconds ?? 0, duration: facts.duration, at: at)
            if let stored, stored.at > at {
                (position.seconds, position.duration, position.at) = (
                    stored.seconds, stored.duration ?? facts.duration, stored.at
                )
            }
            position.playedAt = [facts.playedAt, stored?.playedAt].compactMap(\.self).max()
            let spans = Set(facts.heard).union(stored?.heard ?? [])
            position.heard = spans.sorted { ($0.at, $0.seconds) < ($1.at, $1.seconds) }
            positions[id] = position.isEmpty ? nil : position
        }
        for mark in facts.marks {
            let bookmark = Bookmark(episodeID: id, seconds: mark.seconds, note: mark.note, at: mark.at)
            let isTaken = bookmarks.contains { $0.episodeID == id && $0.seconds == mark.seconds && $0.at >= mark.at }
            if !isTaken { bookmarks.set(bookmark) }
        }
    }

    /// Appends the episodes whose lines say that they are queued, by their places there.
    public mutating func enqueue(_ lines: [EpisodeID: TagLine], now: Timestamp) {
        let queued = Set(queue.map(\.episodeID))
        let places = lines.compactMap { id, line in line.facts.queuePlace.map { (place: $0, id: id) } }
        queue += places.sorted { ($0.place, $0.id) < ($1.place, $1.id) }.filter { !queued.contains($0.id) }
            .map { QueueEntry(episodeID: $0.id, addedAt: now) }
    }
}

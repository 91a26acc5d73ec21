public import Domain
import JSON

/// The record of one podcast from its lines in the log, which are read newest first, so that only the last value of each
/// member is decoded: a podcast has a line for each fetch since the log was rewritten.
public struct LatestMembers {
    private var podcast: Podcast
    private var known = KnownMembers()

    public init(of id: PodcastID) { podcast = Podcast(id: id, feedURL: "", subscribedAt: Timestamp(seconds: 0)) }

    /// - Returns: false if the podcast was removed by this line, so that it and those before it do not count.
    /// - Throws: `JSONError` for a line that is not one of this podcast's.
    public mutating func read(_ bytes: [UInt8], _ line: Range<Int>) throws -> Bool {
        var json = JSONReader(bytes, in: line)
        var (isOwn, isRemoved) = (false, false)
        try json.members { json in
            json.member("sum") { _ = try $0.skip() }
            json.member("podcast") {
                isOwn = try $0.string() == podcast.id.text
                if !isOwn { throw $0.error(.unexpected) }
            }
            if !isOwn || isRemoved { return }
            var unread = UnreadMembers(json: json, known: known)
            podcast.list(&unread, since: PodcastRecord.new)
            (json, known) = (unread.json, unread.known)
        } other: { json in
            if !isOwn { throw json.error(.unexpected) }
            if json.isNext("removed") { isRemoved = true }
            _ = try json.skip()
        }
        try json.finish()
        if !isOwn { throw json.error(.unexpected) }
        return !isRemoved
    }

    /// The record without the password.
    public func record() -> (podcast: Podcast, hasPassword: Bool) {
        var podcast = podcast
        if !known.added.isEmpty {
            podcast.fetch.answers = Array((known.added + podcast.fetch.answers).prefix(known.maxAnswers))
        }
        // The index must see a record without a content revision once.
        if podcast.episodesRevision > 0, podcast.contentRevision == 0 { podcast.contentRevision = 1 }
        return (podcast, known.hasSecret)
    }
}

/// What newer lines said of a podcast.
private struct KnownMembers {
    /// A bit for each member that was read, by its place in the list.
    var places: UInt64 = 0
    var hasSecret = false
    /// Answers that lines added to those before them, newest first, and how many there are at most with the older ones.
    var added: [FetchAnswer] = []
    var maxAnswers = Int.max
}

/// Reads the members that no newer line had.
private struct UnreadMembers: MemberList {
    var json: JSONReader
    var known: KnownMembers
    private var place = 0

    init(json: JSONReader, known: KnownMembers) { (self.json, self.known) = (json, known) }

    mutating func member<Value: Equatable>(
        _ name: StaticString, _ value: inout Value, _ earlier: @autoclosure () -> Value,
        _ list: (inout JSONReader, StaticString, inout Value) -> Void
    ) {
        assert(place < UInt64.bitWidth)
        let bit: UInt64 = 1 << UInt64(place)
        place += 1
        guard json.isNext(name) else { return }
        if known.places & bit > 0 { return json.member(name) { _ = try $0.skip() } }
        json.member(name, &value, earlier(), list)
        if !json.hasFailed { known.places |= bit }
    }

    mutating func hasSecret(_ value: Bool, _ earlier: Bool) {
        var value = known.hasSecret
        member("hasSecret", &value, false) { $0.flag($1, &$2) }
        known.hasSecret = value
    }

    mutating func answers(_ answers: inout [FetchAnswer], _ earlier: [FetchAnswer]) {
        let bit: UInt64 = 1 << UInt64(place)
        member("answers", &answers, earlier) { $0.objects($1, &$2) }
        guard json.isNext("answer") else { return }
        if known.places & bit > 0 { return json.member("answer") { _ = try $0.skip() } }
        var added: AddedAnswer?
        json.object("answer", &added)
        guard let added else { return }
        known.maxAnswers = min(known.maxAnswers, known.added.count + added.count)
        known.added.append(added.answer)
    }
}

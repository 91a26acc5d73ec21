import Domain
import JSON
import Records

/// The record of one podcast from its lines in the log, which are read newest first, so that only the last value of each
/// member is decoded: a podcast has a line for each fetch since the log was rewritten.
struct LatestMembers {
    private var podcast: Podcast
    private var names: [String] = []
    private var hasPassword = false
    /// Answers that lines added to those before them, newest first, and how many there are at most with the older ones.
    private var added: [FetchAnswer] = []
    private var maxAnswers = Int.max

    init(of id: PodcastID) { podcast = Podcast(id: id, feedURL: "", subscribedAt: Timestamp(seconds: 0)) }

    /// - Returns: false if the podcast was removed by this line, so that it and those before it do not count.
    /// - Throws: `JSONError` for a line that is not one of this podcast's.
    mutating func read(_ bytes: [UInt8], _ line: Range<Int>) throws -> Bool {
        var (isOwn, isRemoved) = (false, false)
        let newerNames = names.count
        func isKnown(_ name: String) -> Bool { names[..<newerNames].contains(name) }
        try ChecksummedLine.read(bytes, line) { json, name in
            guard isOwn else {
                guard name == "podcast", try json.string() == podcast.id.text else { throw json.error(.unexpected) }
                isOwn = true
                return
            }
            if name == "removed" { isRemoved = true }
            if isRemoved || isKnown(name) || name == "answer" && isKnown("answers") {
                _ = try json.skip()
            } else if name == "answer" {
                let (answer, count) = try PodcastRecord.addedAnswer(from: &json)
                maxAnswers = min(maxAnswers, added.count + count)
                added.append(answer)
            } else {
                if name == "hasSecret" {
                    hasPassword = try !json.null() && json.bool()
                } else {
                    try podcast.readMember(from: &json)
                }
                names.append(name)
            }
        }
        return !isRemoved
    }

    /// The record without the password.
    func record() -> (podcast: Podcast, hasPassword: Bool) {
        var podcast = podcast
        if !added.isEmpty { podcast.fetch.answers = Array((added + podcast.fetch.answers).prefix(maxAnswers)) }
        podcast.mustBeIndexed()
        return (podcast, hasPassword)
    }
}

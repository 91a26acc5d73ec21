public import Domain
public import JSON

/// A podcast as members of a log line. A line contains only the members that differ from the lines before it; null
/// removes a member (RFC 7386, at the top level). Credentials are not among them: they are stored in `secrets.json`.
public enum PodcastRecord {
    /// Writes the members in which `podcast` differs from `earlier`, or all of them if there is no earlier one.
    public static func write(_ podcast: Podcast, since earlier: Podcast?, to json: inout JSONWriter) {
        var members = Members(json: json)
        let before = earlier ?? Podcast(id: podcast.id, feedURL: "", subscribedAt: Timestamp(seconds: .min))
        members.writeSubscription(podcast, before)
        members.writeArchive(podcast.archive, before.archive)
        members.writeFetch(podcast.fetch, before.fetch)
        json = members.json
    }

    public static func subscriptionDiffers(_ podcast: Podcast, since earlier: Podcast?) -> Bool {
        guard let earlier else { return true }
        return podcast.feedURL != earlier.feedURL || podcast.settings != earlier.settings
            || podcast.subscribedAt != earlier.subscribedAt
            || (podcast.credentials == nil) != (earlier.credentials == nil)
    }

    /// Writes only data that cannot be fetched again: the subscription itself and the user's settings.
    public static func writeSubscription(_ podcast: Podcast, since earlier: Podcast?, to json: inout JSONWriter) {
        var members = Members(json: json)
        let before = earlier ?? Podcast(id: podcast.id, feedURL: "", subscribedAt: Timestamp(seconds: .min))
        members.writeIdentity(podcast, before)
        json = members.json
    }
}

/// Writes a member if its value changed.
private struct Members {
    var json: JSONWriter

    mutating func writeIdentity(_ new: Podcast, _ old: Podcast) {
        member("feedURL", new.feedURL, old.feedURL) { $0.text($1, $2) }
        member("subscribedAt", new.subscribedAt, old.subscribedAt) { $0.time($1, $2) }
        member("hasSecret", flag(new.credentials != nil), flag(old.credentials != nil)) { $0.flag($1, $2) }
        member("settings", optional(new.settings), optional(old.settings)) { json, name, settings in
            json.object(name) {
                $0.text("title", settings.title)
                $0.texts("tags", settings.tags)
                $0.text("userAgent", settings.userAgent)
                $0.flag("transcripts", settings.transcripts)
                $0.flag("chapters", settings.chapters)
                $0.flag("download", settings.download)
                $0.integer("keep", settings.keep)
                $0.number("speed", settings.speed)
                $0.number("skipIntro", settings.skipIntro)
                $0.number("skipOutro", settings.skipOutro)
                $0.text("only", settings.only)
                $0.flag("paused", settings.isPaused ? true : nil)
                $0.integer("minInterval", settings.minInterval.map(Int.init))
                $0.integer("maxInterval", settings.maxInterval.map(Int.init))
                $0.number("timeout", settings.timeout)
                $0.integer("maxSize", settings.maxBodySize)
            }
        }
    }

    mutating func writeSubscription(_ new: Podcast, _ old: Podcast) {
        writeIdentity(new, old)
        member("title", text(new.title), text(old.title)) { $0.text($1, $2) }
        member("author", text(new.author), text(old.author)) { $0.text($1, $2) }
        member("episodes", count(new.episodeCount), count(old.episodeCount)) { $0.integer($1, $2) }
        member("latestEpisodeAt", new.latestEpisodeAt, old.latestEpisodeAt) { $0.time($1, $2) }
        member("lastAddedAt", new.lastAddedAt, old.lastAddedAt) { $0.time($1, $2) }
        member("revision", count(new.episodesRevision), count(old.episodesRevision)) { $0.integer($1, $2) }
        member("contentRevision", count(new.contentRevision), count(old.contentRevision)) { $0.integer($1, $2) }
        member("recordRevision", count(new.revision), count(old.revision)) { $0.integer($1, $2) }
        member("transcripts", optional(new.transcripts), optional(old.transcripts)) { json, name, transcripts in
            json.object(name) {
                $0.integer("revision", transcripts.revision)
                $0.integer("written", transcripts.written)
                $0.integer("seen", transcripts.seen)
                $0.time("dueAt", transcripts.dueAt)
                $0.integer("chaptersSeen", transcripts.chaptersSeen == 0 ? nil : transcripts.chaptersSeen)
                $0.time("chaptersDueAt", transcripts.chaptersDueAt)
            }
        }
    }

    mutating func writeArchive(_ new: ArchiveState?, _ old: ArchiveState?) {
        member("archive", new, old) { json, name, archive in
            json.object(name) {
                $0.text("next", archive.next)
                $0.integer("pages", archive.pages)
            }
        }
    }

    mutating func writeFetch(_ new: FetchState, _ old: FetchState) {
        member("validators", new.validators, old.validators) { json, name, validators in
            json.object(name) { validators.write(to: &$0) }
        }
        member("bodyHash", new.bodyHash, old.bodyHash) { $0.hash($1, $2) }
        member("contentDigest", new.contentDigest, old.contentDigest) { $0.hash($1, $2.value) }
        member("lastAttemptAt", new.lastAttemptAt, old.lastAttemptAt) { $0.time($1, $2) }
        member("lastSuccessAt", new.lastSuccessAt, old.lastSuccessAt) { $0.time($1, $2) }
        member("nextDueAt", new.nextDueAt, old.nextDueAt) { $0.time($1, $2) }
        member("dueRule", new.dueRule, old.dueRule) { $0.text($1, $2.rawValue) }
        member("hubUntil", new.hubUntil, old.hubUntil) { $0.time($1, $2) }
        member("retryAfter", new.retryAfter, old.retryAfter) { $0.time($1, $2) }
        member("isGone", flag(new.isGone), flag(old.isGone)) { $0.flag($1, $2) }
        member("isRestoring", flag(new.isRestoring), flag(old.isRestoring)) { $0.flag($1, $2) }
        member("failure", new.failure, old.failure) { json, name, failure in
            json.object(name) { failure.write(to: &$0) }
        }
        member("notModifiedInARow", count(new.notModifiedInARow), count(old.notModifiedInARow)) { $0.integer($1, $2) }
        member("liesAboutNotModified", flag(new.liesAboutNotModified), flag(old.liesAboutNotModified)) { $0.flag($1, $2) }
        writeAnswers(new.answers, old.answers)
        member("moves", list(new.moves), list(old.moves)) { json, name, moves in
            json.array(name) {
                for move in moves {
                    $0.object {
                        $0.time("at", move.at)
                        $0.text("from", move.from)
                        $0.text("reason", move.reason.rawValue)
                    }
                }
            }
        }
        member("cadence", optional(new.cadence), optional(old.cadence)) { json, name, cadence in
            json.object(name) {
                $0.text("dates", CompactDates.text(cadence.recent))
                $0.integer("floor", Int(cadence.floor))
                $0.integers("skipHours", cadence.skipHours)
                $0.integers("skipDays", cadence.skipDays)
            }
        }
    }

    /// A refresh usually adds one answer before the others. Then only that one and the number of answers are written.
    private mutating func writeAnswers(_ new: [FetchAnswer], _ old: [FetchAnswer]) {
        guard new != old else { return }
        if let first = new.first, !old.isEmpty, new.dropFirst().elementsEqual(old.prefix(new.count - 1)) {
            json.object("answer") {
                first.write(to: &$0)
                $0.integer("of", new.count)
            }
        } else {
            member("answers", list(new), list(old)) { json, name, answers in
                json.array(name) { for answer in answers { $0.object { answer.write(to: &$0) } } }
            }
        }
    }

    private mutating func member<Value: Equatable>(
        _ name: StaticString, _ new: Value?, _ old: Value?, _ write: (inout JSONWriter, StaticString, Value) -> Void
    ) {
        guard new != old else { return }
        let length = json.count
        if let new { write(&json, name, new) }
        if json.count == length {
            json.key(name.description)
            json.raw("null".utf8)
        }
    }

    // Values that a new podcast has anyway are not written.
    private func text(_ value: String?) -> String? { value == "" ? nil : value }
    private func flag(_ value: Bool) -> Bool? { value ? true : nil }
    private func count(_ value: Int) -> Int? { value == 0 ? nil : value }
    private func list<Element>(_ values: [Element]) -> [Element]? { values.isEmpty ? nil : values }
    private func optional(_ settings: PodcastSettings) -> PodcastSettings? { settings == PodcastSettings() ? nil : settings }
    private func optional(_ state: TranscriptState) -> TranscriptState? { state == TranscriptState() ? nil : state }
    private func optional(_ cadence: Cadence) -> Cadence? { cadence == Cadence() ? nil : cadence }
}

extension Validators {
    func write(to json: inout JSONWriter) {
        json.text("url", url)
        json.text("etag", etag)
        json.text("lastModified", lastModified)
    }
}

extension FetchFailureState {
    func write(to json: inout JSONWriter) {
        json.time("since", since)
        json.integer("count", count)
        json.text("code", code.rawValue)
        json.integer("status", status)
        json.text("detail", detail?.fact)
    }
}

extension FetchAnswer {
    fileprivate func write(to json: inout JSONWriter) {
        json.time("at", at)
        json.integer("status", status)
        json.text("outcome", outcome)
        json.integer("milliseconds", milliseconds)
    }
}

public import Domain
public import JSON

/// A podcast as members of a log line. A line contains only the members that differ from the lines before it; null
/// removes a member (RFC 7386, at the top level). Credentials are not among them: they are stored in `secrets.json`.
public enum PodcastRecord {
    /// Writes the members in which `podcast` differs from `earlier`, or all of them if there is no earlier one.
    public static func write(_ podcast: Podcast, since earlier: Podcast?, to json: inout JSONWriter) {
        var (podcast, members) = (podcast, ChangedMembers(json: json))
        podcast.list(&members, since: earlier ?? new)
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
        var (podcast, members) = (podcast, ChangedMembers(json: json))
        podcast.listSubscription(&members, since: earlier ?? new)
        json = members.json
    }

    static let new = Podcast(id: PodcastID(text: ""), feedURL: "", subscribedAt: Timestamp(seconds: .min))
}

extension Podcast {
    /// Reads an object's members. `hasSecret` changes nothing, because credentials are in another file.
    public mutating func readMembers(from json: inout JSONReader) throws {
        try json.members { list(&$0, since: PodcastRecord.new) }
    }

    fileprivate mutating func listSubscription<M: MemberList>(_ members: inout M, since earlier: Podcast) {
        members.member("feedURL", &feedURL, earlier.feedURL) { $0.text($1, &$2) }
        members.member("subscribedAt", &subscribedAt, earlier.subscribedAt) { $0.time($1, &$2) }
        members.hasSecret(credentials != nil, earlier.credentials != nil)
        members.object("settings", &settings, earlier.settings)
    }

    mutating func list<M: MemberList>(_ members: inout M, since earlier: Podcast) {
        listSubscription(&members, since: earlier)
        members.member("title", &title, earlier.title) { $0.text($1, &$2) }
        members.member("author", &author, earlier.author) { $0.text($1, &$2) }
        members.member("episodes", &episodeCount, earlier.episodeCount) { $0.integer($1, &$2) }
        members.member("latestEpisodeAt", &latestEpisodeAt, earlier.latestEpisodeAt) { $0.time($1, &$2) }
        members.member("lastAddedAt", &lastAddedAt, earlier.lastAddedAt) { $0.time($1, &$2) }
        members.member("revision", &episodesRevision, earlier.episodesRevision) { $0.integer($1, &$2) }
        members.member("contentRevision", &contentRevision, earlier.contentRevision) { $0.integer($1, &$2) }
        members.member("recordRevision", &revision, earlier.revision) { $0.integer($1, &$2) }
        members.object("transcripts", &transcripts, earlier.transcripts)
        members.member("archive", &archive, earlier.archive) { $0.object($1, &$2) }
        fetch.list(&members, since: earlier.fetch, of: feedURL)
    }
}

extension FetchState {
    fileprivate mutating func list<M: MemberList>(_ members: inout M, since earlier: FetchState, of feedURL: String) {
        members.member("validators", &validators, earlier.validators) {
            $0.object($1, &$2)
            // The two URLs are mostly equal and then share one string.
            if $2?.url == feedURL { $2?.url = feedURL }
        }
        members.member("bodyHash", &bodyHash, earlier.bodyHash) { $0.hash($1, &$2) }
        members.member("contentDigest", &contentDigest, earlier.contentDigest) { $0.digest($1, &$2) }
        members.member("lastAttemptAt", &lastAttemptAt, earlier.lastAttemptAt) { $0.time($1, &$2) }
        members.member("lastSuccessAt", &lastSuccessAt, earlier.lastSuccessAt) { $0.time($1, &$2) }
        members.member("nextDueAt", &nextDueAt, earlier.nextDueAt) { $0.time($1, &$2) }
        members.member("dueRule", &dueRule, earlier.dueRule) { $0.text($1, &$2) }
        members.member("hubUntil", &hubUntil, earlier.hubUntil) { $0.time($1, &$2) }
        members.member("retryAfter", &retryAfter, earlier.retryAfter) { $0.time($1, &$2) }
        members.member("isGone", &isGone, earlier.isGone) { $0.flag($1, &$2) }
        members.member("isRestoring", &isRestoring, earlier.isRestoring) { $0.flag($1, &$2) }
        members.member("failure", &failure, earlier.failure) { $0.object($1, &$2) }
        members.member("notModifiedInARow", &notModifiedInARow, earlier.notModifiedInARow) { $0.integer($1, &$2) }
        members.member("liesAboutNotModified", &liesAboutNotModified, earlier.liesAboutNotModified) { $0.flag($1, &$2) }
        members.answers(&answers, earlier.answers)
        members.member("moves", &moves, earlier.moves) { $0.objects($1, &$2) }
        members.object("cadence", &cadence, earlier.cadence)
    }
}

public import Domain

/// The changes of an edit: each setting with its values before and after.
///
/// In a pipe, the podcast's line as in `jimmy podcasts`; the changes become notes.
public struct EditView: View {
    let before: Podcast
    let after: Podcast

    public init(before: Podcast, after: Podcast) {
        self.before = before
        self.after = after
    }

    public func lines(for display: Display) -> [String] {
        guard display.isTerminal else { return PodcastListView([after]).lines(for: display) }
        return display.fitted(display.styled(after.displayTitle.oneLine, .bold)) + changes.flatMap { display.fitted("  " + $0) }
    }

    public func jsonLines(_ emit: (String) -> Void) { PodcastListView([after]).jsonLines(emit) }

    /// Notes that are not in `lines`.
    public func notes(for display: Display, json: Bool) -> [String] { display.isTerminal && !json ? [] : changes }

    private var changes: [String] {
        let changes = Self.changes(from: before, to: after)
        return changes.isEmpty ? ["Nothing changed."] : changes
    }

    /// `title: Wire → My Wire`, a line for each setting.
    static func changes(from before: Podcast, to after: Podcast) -> [String] {
        func state(_ podcast: Podcast) -> [(name: String, value: String)] {
            let settings = podcast.settings
            return [
                ("title", podcast.displayTitle),
                ("tags", settings.tags.isEmpty ? "none" : settings.tags.joined(separator: ", ")),
                ("feed URL", podcast.feedURL),
                ("User-Agent", settings.userAgent ?? "default"),
                ("transcripts", settings.transcripts.map { $0 ? "on" : "off" } ?? "default"),
                ("chapters", settings.chapters.map { $0 ? "on" : "off" } ?? "default"),
                ("transcribe", settings.transcribe.map { $0 ? "on" : "off" } ?? "default"),
                ("download", settings.download == true ? "on" : "off"),
                ("keep", settings.keep.map { counted($0, "file") } ?? "all"),
                ("speed", settings.speed.map { "\($0)" } ?? "1.0"),
                ("skipped intro", settings.skipIntro.map(formattedDuration) ?? "none"),
                ("skipped outro", settings.skipOutro.map(formattedDuration) ?? "none"),
                ("only", settings.only ?? "all episodes"),
                ("minimum interval", settings.minInterval.map { span($0) } ?? "default"),
                ("maximum interval", settings.maxInterval.map { span($0) } ?? "default"),
                ("timeout", settings.timeout.map { "\(Int($0.rounded(.up))) s" } ?? "default"),
                ("maximum size", settings.maxBodySize.map { formattedSize($0) } ?? "default"),
                ("paused", settings.isPaused ? "yes" : "no"),
            ]
        }
        var lines = zip(state(before), state(after)).compactMap { old, new in
            old.value == new.value ? nil : "\(new.name): \(old.value.oneLine) → \(new.value.oneLine)"
        }
        // Neither the user nor the password is ever printed.
        switch (before.credentials, after.credentials) {
        case (nil, _?): lines.append("sign-in: none → a user and password")
        case (_?, nil): lines.append("sign-in: a user and password → none")
        case (let old?, let new?) where old != new: lines.append("sign-in: another user or password")
        default: break
        }
        return lines
    }
}

public import Domain
import Scheduling

/// All facts about one podcast.
public struct PodcastView: View {
    let podcast: Podcast
    let channel: Channel
    let searchLanguage: String?
    let now: Timestamp

    /// - Parameter searchLanguage: code of the language that search uses for the podcast; nil if unknown.
    public init(_ podcast: Podcast, _ channel: Channel, searchLanguage: String? = nil, now: Timestamp) {
        self.now = now
        self.podcast = podcast
        self.channel = channel
        self.searchLanguage = searchLanguage
    }

    public var podcastIDs: [PodcastID] { [podcast.id] }

    public func lines(for display: Display) -> [String] {
        let state = podcast.fetch
        func date(_ time: Timestamp?) -> String? { time.map(display.date) }
        var sheet = Sheet(podcast.displayTitle)
        sheet.add("id", display.shown(podcast.id))
        sheet.add("feed", podcast.feedURL)
        if podcast.settings.title != nil { sheet.add("feed's title", channel.title) }
        sheet.add("author", channel.author)
        sheet.add("website", channel.link)
        sheet.add("language", language)
        sheet.add("categories", channel.categories.map { $0.joined(separator: " › ") })
        sheet.add("tags", podcast.settings.tags + channel.tags)
        sheet.add(
            "episodes", "\(grouped(podcast.episodeCount))" + (date(podcast.latestEpisodeAt).map { ", the latest \($0)" } ?? ""))
        sheet.add(
            "people",
            channel.persons.compactMap { person in
                person.name.map { name in name + (person.role.map { " (\($0))" } ?? "") }
            })
        sheet.add("support", channel.funding.compactMap(\.url))
        sheet.add("copyright", channel.copyright)
        sheet.add("image", channel.imageURL)
        sheet.add("subscribed", date(podcast.subscribedAt))
        sheet.add("fetched", date(state.lastSuccessAt))
        let expected = ExpectedEpisode(of: podcast, now: now)
        sheet.add("next", display.isTerminal ? expected?.words(now: now) : expected?.at.description)
        sheet.add("next fetch", state.isGone ? nil : date(state.nextDueAt))
        sheet.add("your settings", podcast.settings.words)
        sheet.add("sign-in", podcast.credentials == nil ? nil : "a user and password are set; 'jimmy edit --user' changes them")
        sheet.add("trouble", state.failureWords(now: display.isTerminal ? display.now : nil), style: .failed)
        sheet.addText(channel.description.map(HTMLText.text) ?? channel.subtitle)
        return sheet.lines(for: display)
    }

    /// The language that the feed declares, and the detected one if it differs.
    private var language: String? {
        guard let searchLanguage, let name = LanguageName.of(searchLanguage) else { return channel.language }
        guard let declared = channel.language else { return "\(name), by its words" }
        return LanguageName.of(declared) == name ? declared : "\(declared), but its words are \(name)"
    }

    public func jsonLines(_ emit: (String) -> Void) {
        emit(jsonLine(Row(view: self)))
    }

    private struct Row: Fields {
        let view: PodcastView

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            PodcastFields(view.podcast).visit(&visitor)
            visitor.time("expectedAt", ExpectedEpisode(of: view.podcast, now: view.now)?.at)
            visitor.objects("windows", view.podcast.usualWindows(now: view.now).map(WindowFields.init))
            visitor.text("searchLanguage", view.searchLanguage)
            visitor.object("podcast", view.channel)
        }
    }
}

extension PodcastSettings {
    /// The settings that differ from the general ones.
    var words: String? {
        let parts = [
            isPaused ? "paused" : nil,
            minInterval.map { "fetched every \(span($0)) at most" },
            maxInterval.map { "fetched every \(span($0)) at least" },
            timeout.map { "given up after \(span(Int64($0.rounded(.up))))" },
            maxBodySize.map { "up to \(formattedSize($0))" },
            transcripts.map { $0 ? "with transcripts" : "without transcripts" },
            chapters.map { $0 ? "with chapters" : "without chapters" },
            transcribe.map { $0 ? "transcribed" : "not transcribed" },
            download == true ? "new episodes downloaded" : nil,
            keep.map { "\(counted($0, "downloaded file")) kept" },
            speed.map { "played at \($0) times the speed" },
            skipIntro.map { "without the first \(formattedDuration($0))" },
            skipOutro.map { "without the last \(formattedDuration($0))" },
            only.map { "only \($0) becomes new" },
            userAgent.map { "User-Agent \($0)" },
        ].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

extension Display {
    /// Local time and relative time on a terminal; UTC in a pipe.
    func date(_ time: Timestamp) -> String {
        isTerminal ? "\(time.localDateAndTime) (\(time.relative(to: now)))" : time.description
    }
}

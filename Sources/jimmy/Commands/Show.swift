import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Show: Command {
    static let configuration = CommandConfiguration(
        commandName: "show", _superCommandName: "jimmy",
        abstract: "Show everything known about one podcast or episode.",
        discussion: """
            In a transcript, passages that other episodes have, too, are marked as advertising; see 'jimmy help search'.

              jimmy show "Night Radio"
              jimmy show "harbor radio/keepers"
              jimmy show --history "Lighthouse keepers"
              jimmy show --transcript "Lighthouse keepers"
            """)

    @Argument(
        help: ArgumentHelp(
            "An id or its beginning, words of a title, PODCAST/WORDS for an episode, or a feed URL.", valueName: "podcast|episode"
        ),
        completion: Completions.anything)
    var name: String?

    @Flag(help: Names.pickHelp)
    var pick = false

    @Flag(help: "Show what changed in an episode, and when.")
    var history = false

    @Flag(help: "Show the transcript of an episode; in a pipe: time, speaker, text, and ad for advertising, separated by tabs.")
    var transcript = false

    @OptionGroup var options: GlobalOptions

    var pages: Bool { !pick }

    func validate() throws {
        if name == nil, !pick { throw ValidationError("Missing expected argument '<podcast|episode>'") }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.search)
        guard pick else { return try await show(name ?? "", library, context) }
        for id in try await Picker(context: context, library: library).pick(matching: name, for: "show") {
            _ = try await show(id.text, library, context)
        }
        return .done
    }

    private func show(_ name: String, _ library: OpenLibrary, _ context: Context) async throws -> ExitStatus {
        // No podcast is called like an episode's id, so none need be searched for.
        if try await !library.find.hasEpisode(withID: name) {
            do {
                return try await showPodcast(name, library, context)
            } catch LookupFailure.noSuchPodcast {}
        }
        return try await showEpisode(name, library, context)
    }

    private func showPodcast(_ name: String, _ library: OpenLibrary, _ context: Context) async throws -> ExitStatus {
        let podcast = try await library.find.podcast(name, alsoUnsubscribed: true)
        guard !history, !transcript else {
            throw FailureLine(
                name, "a podcast has no \(history ? "history" : "transcript")", status: .usage, advice: "name an episode")
        }
        let channel = try await library.episodes.channel(of: podcast.id) ?? Channel()
        let language = await library.searchLanguage(of: podcast.id)
        let view = PodcastView(podcast, channel, searchLanguage: language, now: context.now)
        try await context.console.show(view, library.shorten)
        return .done
    }

    private func showEpisode(_ name: String, _ library: OpenLibrary, _ context: Context) async throws -> ExitStatus {
        let listed = try await listed(name, library, context)
        if transcript { return try await showTranscript(of: listed, library, context) }
        let id = listed.episode.id
        // verify reports a damaged transcript; the episode is shown without it.
        async let storedTranscript = try? library.transcripts.transcript(of: id)
        async let chapters = try? library.transcripts.chapters(of: id)
        async let bookmarks = library.bookmarks(of: id)
        let download = try await library.downloads.downloads(of: [id])[id]?.file
        let file = try download.flatMap { try library.files.file(at: $0.path) }
        let view = EpisodeView(
            listed, history: history, transcript: await storedTranscript, chapters: await chapters, file: file,
            bookmarks: try await bookmarks)
        try await context.console.show(view, library.shorten)
        return .done
    }

    private func listed(_ name: String, _ library: OpenLibrary, _ context: Context) async throws -> ListedEpisode {
        do {
            guard case .episode(let id)? = try await library.find.named([name], context).first else {
                throw LookupFailure.noSuchEpisode(name)
            }
            async let tags = library.tags.tags(of: [id])
            let (podcast, episode) = try await library.find.episode(id.text)
            return ListedEpisode(podcast: podcast, episode: episode, tags: try await tags[id] ?? [])
        } catch LookupFailure.noSuchEpisode {
            throw FailureLine(
                name, "no such podcast or episode", status: .notFound,
                advice: "'jimmy podcasts' and 'jimmy episodes' list them, 'jimmy search' finds them")
        }
    }

    private func showTranscript(of listed: ListedEpisode, _ library: OpenLibrary, _ context: Context) async throws -> ExitStatus {
        guard let storedTranscript = try await library.transcripts.transcript(of: listed.episode.id) else {
            let isOffered = !listed.episode.item.transcripts.isEmpty
            throw FailureLine(
                listed.episode.id.text, isOffered ? "its transcript has not been fetched yet" : "its feed offers no transcript",
                status: .incomplete,
                advice: isOffered
                    ? "'jimmy refresh --transcripts \(listed.podcast.id)' fetches it"
                    : "'jimmy transcribe \(listed.episode.id)' makes one")
        }
        context.console.show(TranscriptView(storedTranscript.segments))
        return .done
    }
}

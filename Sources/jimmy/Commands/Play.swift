import ArgumentParser
import Composition
import Domain
import Presentation
import Processes
import UseCases

struct Play: Command {
    static let configuration = CommandConfiguration(
        commandName: "play", _superCommandName: "jimmy",
        abstract: "Play an episode, the next one of a podcast, or the first of the queue.",
        discussion: """
            Starts the program in the setting 'player', otherwise the first of mpv, vlc, ffplay and mplayer that is installed. jimmy follows \
            mpv and VLC, stores your place while they play, and goes on from there the next time, 'rewind' seconds before. Without EPISODE: the first \
            of the queue, or else the one you stopped last. Of a podcast: the one in progress, otherwise the newest unheard one, or the \
            oldest of a serial podcast.

            ID@TIME, as 'jimmy search' shows what was said, begins 3 seconds before it.

            Heard to its end, or to the last 'played-within' seconds, an episode gets the tag played, loses the tag new, and leaves the \
            queue. If the player fails, nothing changes, and jimmy exits 1.

              jimmy play
              jimmy play "Lighthouse keepers"
              jimmy play "Night Radio"
              jimmy play "Lighthouse keepers" --from-start
              jimmy play "Lighthouse keepers" --at 12:30
              jimmy play b0awzdwc-v8g5@12:34
              jimmy play "Lighthouse keepers" --transcript "last keeper"
              jimmy play "Lighthouse keepers" --chapter 2
            """)

    @Argument(
        help: ArgumentHelp(
            "An id or its beginning, words of the title, PODCAST/WORDS, or a podcast.", valueName: "episode"),
        completion: Completions.anything)
    var episode: String?

    @Option(help: ArgumentHelp("Begin where this text occurs in the transcript.", valueName: "text"))
    var transcript: String?

    @Option(help: ArgumentHelp("Begin at this chapter, counted from 1.", valueName: "n"))
    var chapter: Number<Position>?

    @Option(help: ArgumentHelp("Begin at this time.", valueName: "time"))
    var at: PlaySpan?

    @Flag(help: "Begin at the beginning, wherever you stopped.")
    var fromStart = false

    @Flag(help: Names.pickHelp)
    var pick = false

    @OptionGroup var options: GlobalOptions

    /// The name without the time of a hit.
    private var named: (name: String?, hit: PlaySpan?) {
        guard let episode, let sign = episode.lastIndex(of: "@"), sign != episode.startIndex,
            let time = PlaySpan(argument: String(episode[episode.index(after: sign)...]))
        else { return (episode, nil) }
        return (String(episode[..<sign]), time)
    }

    /// Seconds before a hit at which it is heard from.
    private static let lead = 3.0

    func validate() throws {
        let starts = [transcript != nil, chapter != nil, at != nil, fromStart, named.hit != nil].count { $0 }
        if starts > 1 { throw ValidationError("Give one of --transcript, --chapter, --at and --from-start") }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.write)
        guard let episode = try await chosen(library, context) else {
            context.console.note(PlayWording.nothingToPlay)
            return .incomplete
        }
        let settings = context.settings
        let podcast = try await library.podcasts.podcast(episode.podcastID)
        let start = try await start(of: episode, podcast, library, settings)
        let (media, seconds): (String, Double)
        do {
            (media, seconds) = try await library.play.media(of: episode, from: start)
        } catch let failure as PlayFailure {
            throw PlayWording.failure(failure, of: episode)
        }
        guard let player = await player(settings) else { throw PlayWording.noPlayer }
        var request = PlayRequest(media: media, start: seconds)
        request.userAgent = settings.userAgent
        request.speed = podcast?.settings.speed ?? 1
        request.outro = podcast?.settings.skipOutro ?? 0
        if seconds > 0, !player.takesStart {
            context.console.note(PlayWording.startIgnored)
            request.start = 0
        }
        context.console.flush()
        let within = settings.playedWithin.seconds
        let process = PlayerProcess(player) { Interrupts.received != nil }
        var (exit, result) = try await Interrupts.deferring {
            try await library.listen(episode, request, by: process, playedWithin: within)
        }
        if result == nil, Interrupts.received == nil,
            let url = try await renewedURL(of: episode, instead: request.media, library, context)
        {
            request.media = url
            (exit, result) = try await Interrupts.deferring {
                try await library.listen(episode, request, by: process, playedWithin: within)
            }
        }
        if case .stopped(let seconds, let duration, let isNext)? = result {
            context.console.note(PlayWording.stopped(at: seconds, of: duration, episode, isNext: isNext))
        }
        if let status = Interrupts.received { return status }
        switch exit {
        case .ended(0) where result != nil: return .done
        case .ended(let status): throw PlayWording.failed(player, status: status, hasPlayed: result != nil)
        case .notStarted(let errno): throw PlayWording.notStarted(player, errno: errno)
        }
    }

    /// The feed's new URL if nothing was heard because the server refuses the one that was played.
    private func renewedURL(
        of episode: Episode, instead media: String, _ library: OpenLibrary, _ context: Context
    ) async throws -> String? {
        guard media == episode.item.chosenEnclosure?.url else { return nil }
        var options = context.settings.refreshOptions
        options.hasHook = context.settings.onNew != nil
        let renew = library.renewMediaURLs(by: context.composition.fetcher())
        let renewed = try await renew.afterPlaying(episode.id, options, context.composition.politeness())
        return renewed?.item.chosenEnclosure?.url
    }

    private func start(
        of episode: Episode, _ podcast: Podcast?, _ library: OpenLibrary, _ settings: Settings
    ) async throws -> PlayEpisode.Start {
        if let transcript { return .text(transcript) }
        if let chapter { return .chapter(chapter.value) }
        if let at { return .seconds(at.seconds) }
        if let hit = named.hit { return .seconds(max(hit.seconds - Self.lead, 0)) }
        if fromStart { return .seconds(0) }
        return .seconds(
            try await library.listen.start(
                of: episode.id, rewind: settings.rewind.seconds, intro: podcast?.settings.skipIntro ?? 0))
    }

    private func player(_ settings: Settings) async -> PlayerCommand? {
        if let player = settings.player { return player }
        for player in PlayerCommand.usual where await Child.isInstalled(player.words[0]) { return player }
        return nil
    }

    private func chosen(_ library: OpenLibrary, _ context: Context) async throws -> Episode? {
        guard episode == nil, !pick else { return try await PlayChoice.episode(named.name, picks: pick, library, context) }
        return try await library.listen.next()?.episode
    }
}

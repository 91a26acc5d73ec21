import ArgumentParser
import Composition
import Domain
import Presentation
import Processes
import UseCases

struct Play: Command {
    static let configuration = CommandConfiguration(
        commandName: "play", _superCommandName: "jimmy",
        abstract: "Play an episode, or the first of the queue.",
        discussion: """
            Starts the program in the setting 'player', otherwise the first of mpv, vlc, ffplay and mplayer that is installed. If it ends \
            with exit code 0, the episode is marked as played: it gets the tag played, loses the tag new, and leaves the queue. \
            Otherwise everything stays as it was, and jimmy exits 1.

              jimmy play
              jimmy play "Lighthouse keepers"
              jimmy play "Lighthouse keepers" --transcript "last keeper"
              jimmy play "Lighthouse keepers" --chapter 2
            """)

    @Argument(help: Names.episodeHelp, completion: Completions.episode)
    var episode: String?

    @Option(help: ArgumentHelp("Begin where this text occurs in the transcript.", valueName: "text"))
    var transcript: String?

    @Option(help: ArgumentHelp("Begin at this chapter, counted from 1.", valueName: "n"))
    var chapter: Number<Position>?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if transcript != nil, chapter != nil { throw ValidationError("Give --transcript or --chapter, not both") }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.write)
        guard let episode = try await chosen(library) else {
            context.console.note(QueueWording.isEmpty)
            return .incomplete
        }
        let start: PlayEpisode.Start = transcript.map { .text($0) } ?? chapter.map { .chapter($0.value) } ?? .beginning
        let (url, seconds): (String, Double)
        do {
            (url, seconds) = try await library.play.media(of: episode, from: start)
        } catch let failure as PlayFailure {
            throw PlayWording.failure(failure, of: episode)
        }
        guard let player = await player(context.settings) else { throw PlayWording.noPlayer }
        if seconds > 0, !player.takesStart { context.console.note(PlayWording.startIgnored) }
        context.console.flush()
        switch await Child.run(player.arguments(file: url, start: seconds)) {
        case .ended(0):
            try await library.play.finish(episode.id)
            return .done
        case .ended(let status): throw PlayWording.failed(player, status: status)
        case .notStarted(let errno): throw PlayWording.notStarted(player, errno: errno)
        }
    }

    private func player(_ settings: Settings) async -> PlayerCommand? {
        if let player = settings.player { return player }
        for player in PlayerCommand.usual where await Child.isInstalled(player.words[0]) { return player }
        return nil
    }

    private func chosen(_ library: OpenLibrary) async throws -> Episode? {
        guard let episode else { return try await library.queue.next()?.episode }
        return try await library.find.episode(episode).1
    }
}

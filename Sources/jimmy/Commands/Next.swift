import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Next: Command {
    static let configuration = CommandConfiguration(
        commandName: "next", _superCommandName: "jimmy",
        abstract: "Show what 'jimmy play' would play.",
        discussion: """
            The first of the queue, or else the episode you stopped last. Of a podcast: the episode in progress, or else the next one that you \
            have not heard, the oldest of a serial podcast and the newest of any other. Exits 1 if there is none.

              jimmy next
              jimmy next "Night Radio"
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcast: String?

    @OptionGroup var options: GlobalOptions

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.read)
        let podcast: Podcast? = if let podcast { try await library.find.podcast(podcast) } else { nil }
        let next: ListedEpisode? =
            if let podcast {
                try await library.listEpisodes.listed([library.findNext(of: podcast.id)].compactMap { $0?.id }).first
            } else {
                try await library.listen.next()
            }
        guard let next else {
            context.console.note(podcast.map { PlayWording.allHeard($0) } ?? PlayWording.nothingToPlay)
            return .incomplete
        }
        try await context.console.show(EpisodeListView([next]), library.shorten)
        return .done
    }
}

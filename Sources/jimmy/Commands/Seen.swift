import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Seen: Command {
    static let configuration = CommandConfiguration(
        commandName: "seen", _superCommandName: "jimmy",
        abstract: "Mark all new episodes as seen, or some episodes.",
        discussion: """
            Removes the tag new. 'jimmy undo' brings it back.

              jimmy seen
              jimmy seen "Lighthouse keepers"
              jimmy seen --all "Night Radio"
            """)

    @Argument(help: Names.episodesHelp, completion: Completions.anything)
    var episodes: [String] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("Mark all matches of a query instead.", valueName: "query"))
    var query: String?

    @Flag(help: Names.allHelp)
    var all = false

    @Flag(help: Names.pickHelp)
    var pick = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if !episodes.isEmpty, query != nil { throw ValidationError("Give episodes or --query, not both") }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.write)
        var chosen: [EpisodeID]?
        if !episodes.isEmpty || query != nil || pick {
            var selection = EpisodeSelection(names: episodes, query: query, command: "seen", includesArchived: true)
            selection.podcastMeaning = all ? .all : .refused
            selection.picks = pick
            chosen = try await selection.find(library, context)
        }
        context.console.note(TagWording.seen(try await library.tag.markSeen(chosen, undoableAt: context.now)))
        return .done
    }
}

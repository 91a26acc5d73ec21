import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Seen: Command {
    static let configuration = CommandConfiguration(
        commandName: "seen", _superCommandName: "jimmy",
        abstract: "Mark all new episodes as seen, or those of some podcasts.",
        discussion: """
            Removes the tag new; 'jimmy tag -new EPISODE' removes it from single episodes. 'jimmy undo' brings it back.

              jimmy seen
              jimmy seen "Night Radio"
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcasts: [String] = []

    @OptionGroup var options: GlobalOptions

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.write)
        let ids = podcasts.isEmpty ? nil : Set(try await library.find.podcasts(podcasts).map(\.id))
        let count = try await library.tag.markSeen(ids, undoableAt: context.now)
        context.console.note(TagWording.seen(count))
        return .done
    }
}

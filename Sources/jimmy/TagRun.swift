import Composition
import Domain
import Presentation
import UseCases

/// Changes the tags of some episodes, for `tag` and its short forms.
struct TagRun {
    let edit: TagEdit
    var names: [String]
    var query: String?
    /// The command's name, for messages.
    var command: String
    /// True if the name of a podcast stands for all of its episodes, and a query includes archived ones.
    var takesAll = false
    var queue = false
    var picks = false

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.write)
        var selection = EpisodeSelection(names: names, query: query, command: command, includesArchived: takesAll)
        selection.podcastMeaning = takesAll ? .all : .refused
        selection.picks = picks
        let ids =
            queue ? try await library.queue.list().map(\.episode.id) : try await selection.find(library, context)
        let count = try await library.tag(edit, ids, undoableAt: context.now)
        context.console.note(count == 0 ? TagWording.nothingMatched : TagWording.tagged(count, edit))
        return count == 0 ? .incomplete : .done
    }
}

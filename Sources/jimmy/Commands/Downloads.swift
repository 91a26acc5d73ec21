import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Downloads: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "downloads", _superCommandName: "jimmy",
        abstract: "List or delete downloaded files.",
        discussion: """
              jimmy downloads
              jimmy downloads remove "Lighthouse keepers"
            """,
        subcommands: [List.self, Remove.self],
        defaultSubcommand: List.self)

    struct List: Command {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List downloaded files.",
            discussion: "In a pipe: id, bytes, path, and 'missing' if the file is gone, separated by tabs.")

        @OptionGroup var options: GlobalOptions

        var pages: Bool { true }

        func run(_ context: Context) async throws -> ExitStatus {
            let library = try await context.composition.open(.read)
            var files: [DownloadListView.File] = []
            for (id, entry) in try await library.downloads.downloads().sorted(by: { $0.key < $1.key }) {
                guard let file = entry.file else { continue }
                files.append(.init(id: id, file: file, isMissing: try library.files.file(at: file.path) == nil))
            }
            try await context.console.show(DownloadListView(files), library.shorten)
            if files.isEmpty { context.console.note(DownloadWording.none) }
            return .done
        }
    }

    struct Remove: Command {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Delete the files of episodes.",
            discussion: """
                Only files that are still as jimmy wrote them are deleted. They are not downloaded again unless you name them. Exits \
                1 if a file was changed.

                  jimmy downloads remove "Lighthouse keepers"
                  jimmy downloads remove --query is:played
                """)

        @Argument(help: Names.episodesHelp, completion: Completions.anything)
        var episodes: [String] = []

        @Option(parsing: .unconditional, help: ArgumentHelp("Delete the files of all matches instead.", valueName: "query"))
        var query: String?

        @Flag(help: "Let the name of a podcast stand for all of its episodes.")
        var all = false

        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if episodes.isEmpty == (query == nil) { throw ValidationError("Give episodes or --query") }
        }

        func run(_ context: Context) async throws -> ExitStatus {
            let library = try await context.composition.open(.write)
            var selection = EpisodeSelection(names: episodes, query: query, command: "downloads remove")
            selection.podcastMeaning = all ? .all : .refused
            selection.includesArchived = true
            let removed = try await library.downloadRetention().remove(try await selection.find(library, context))
            if !removed.gone.isEmpty { try await library.undo.recordFinal(.downloadsRemove, now: context.now) }
            for file in removed.changed { context.console.report(DownloadWording.changed(file)) }
            context.console.note(removed.gone.isEmpty ? DownloadWording.noneOfThese : DownloadWording.removed(removed.gone))
            return removed.changed.isEmpty ? .done : .incomplete
        }
    }
}

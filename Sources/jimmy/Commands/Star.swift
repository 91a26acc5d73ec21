import ArgumentParser
import Domain
import Presentation

/// A short form of `jimmy tag`.
protocol TagShortForm: Command {
    static var edit: TagEdit { get }
    var selected: SelectedEpisodes { get }
}

extension TagShortForm {
    func run(_ context: Context) async throws -> ExitStatus {
        var run = TagRun(
            edit: Self.edit, names: selected.episodes, query: selected.query, command: Self._commandName, takesAll: selected.all)
        run.picks = selected.pick
        return try await run.run(context)
    }
}

struct SelectedEpisodes: ParsableArguments {
    @Argument(help: Names.episodesHelp, completion: Completions.anything)
    var episodes: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Take all matches of a query instead; see 'jimmy help search'.", valueName: "query"))
    var query: String?

    @Flag(help: Names.allHelp)
    var all = false

    @Flag(help: Names.pickHelp)
    var pick = false

    func validate() throws {
        if episodes.isEmpty, query == nil, !pick { throw ValidationError("Missing expected argument '<episode> ...'") }
        if !episodes.isEmpty, query != nil { throw ValidationError("Give episodes or --query, not both") }
    }
}

struct Star: TagShortForm {
    static let configuration = CommandConfiguration(
        commandName: "star", _superCommandName: "jimmy", abstract: "Star episodes: short for 'tag +starred'.",
        discussion: "  jimmy star \"Lighthouse keepers\"")
    static let edit = TagEdit(adding: [.starred])

    @OptionGroup var selected: SelectedEpisodes
    @OptionGroup var options: GlobalOptions
}

struct Unstar: TagShortForm {
    static let configuration = CommandConfiguration(
        commandName: "unstar", _superCommandName: "jimmy", abstract: "Short for 'tag -starred'.",
        discussion: "  jimmy unstar \"Lighthouse keepers\"")
    static let edit = TagEdit(removing: [.starred])

    @OptionGroup var selected: SelectedEpisodes
    @OptionGroup var options: GlobalOptions
}

struct Played: TagShortForm {
    static let configuration = CommandConfiguration(
        commandName: "played", _superCommandName: "jimmy", abstract: "Mark episodes as played: short for 'tag +played'.",
        discussion: "  jimmy played \"Lighthouse keepers\"\n  jimmy played --query 'podcast:\"night radio\"'")
    static let edit = TagEdit(adding: [.played])

    @OptionGroup var selected: SelectedEpisodes
    @OptionGroup var options: GlobalOptions
}

struct Unplayed: TagShortForm {
    static let configuration = CommandConfiguration(
        commandName: "unplayed", _superCommandName: "jimmy", abstract: "Short for 'tag -played'.",
        discussion: "  jimmy unplayed \"Lighthouse keepers\"")
    static let edit = TagEdit(removing: [.played])

    @OptionGroup var selected: SelectedEpisodes
    @OptionGroup var options: GlobalOptions
}

import Composition
import Domain
import Glibc
import Presentation
import Processes
import UseCases

/// Lets the user choose among episodes: in fzf if it is installed, with `jimmy show` beside it, else by number.
struct Picker {
    let context: Context
    let library: OpenLibrary
    var severalAllowed = true

    /// - Parameter query: what the episodes match; nil for the new ones.
    /// - Throws: `FailureLine` if nothing is chosen or nobody can be asked.
    func pick(matching query: String?, for command: String) async throws -> [EpisodeID] {
        guard Choice.isPossible(context) else {
            throw FailureLine(command, "--pick asks on a terminal, and there is none", status: .usage)
        }
        let listed: [ListedEpisode]
        if let query {
            var selection = EpisodeSelection(names: [], query: query, command: command)
            selection.includesArchived = false
            listed = try await library.listEpisodes.listed(try await selection.find(library, context))
        } else {
            var filter = ListEpisodes.Filter()
            filter.onlyNew = true
            listed = try await library.listEpisodes(filter)
        }
        guard !listed.isEmpty else {
            throw FailureLine(command, query == nil ? "no episode is new" : "nothing matched", status: .incomplete)
        }
        return await Child.isInstalled("fzf") ? try await inFzf(listed, command) : try await byNumber(listed, command)
    }

    private func inFzf(_ listed: [ListedEpisode], _ command: String) async throws -> [EpisodeID] {
        let lines = listed.map { "\($0.episode.id)\t\(CandidateList.line($0))\n" }
        var show = [OwnProgram.path, "show"]
        if let folder = context.options.library { show += ["--library", folder] }
        let preview = show.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ") + " {1}"
        let options = [
            "--layout", "reverse", "--delimiter", "\t", "--with-nth", "2..", "--no-sort", "--preview", preview,
            "--preview-window", "wrap",
        ]
        // While fzf runs, Ctrl-C is for fzf.
        signal(SIGINT, SIG_IGN)
        let chosen = await Child.filter(
            ["fzf"] + options + (severalAllowed ? ["--multi"] : []), input: Array(lines.joined().utf8))
        signal(SIGINT, SIG_DFL)
        let ids = Set(IDLines.ids(in: String(decoding: chosen ?? [], as: UTF8.self)))
        let picked = listed.map(\.episode.id).filter { ids.contains($0.text) }
        guard !picked.isEmpty else { throw Choice.nothingChosen(command) }
        return picked
    }

    private func byNumber(_ listed: [ListedEpisode], _ command: String) async throws -> [EpisodeID] {
        let shown = Array(listed.prefix(20))
        let candidates = EpisodeCandidates(
            shown: shown, total: listed.count, shortIDs: try await library.shorten([], shown.map(\.episode.id)))
        let lines = CandidateList.lines(of: candidates, isNumbered: true)
        return try Choice.ask(command, lines, of: shown.count, severalAllowed: severalAllowed).map { shown[$0].episode.id }
    }
}

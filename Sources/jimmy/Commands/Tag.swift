import ArgumentParser
import Composition
import Domain
import Presentation
import Results
import UseCases

struct TagCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "tag", _superCommandName: "jimmy",
        abstract: "Add and remove your tags on episodes; list the tags in use.",
        discussion: """
            +word adds a tag, -word removes one; 'jimmy help tags' explains them. Either all episodes are changed or none. In a \
            pipe: tag, number of episodes, separated by a tab.

              jimmy tag
              jimmy tag +starred "Lighthouse keepers"
              jimmy tag +commute --all "Night Radio"
              jimmy tag +played -new --query 'podcast:"night radio"'
              jimmy tag --dump tags.txt
            """)

    @Argument(
        help: ArgumentHelp(
            "Tags as +word and -word, and episodes: ids, beginnings of ids, words of titles; '-' reads ids from standard input.",
            valueName: "tag|episode"),
        completion: Completions.tagging)
    var words: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Tag all matches of a query instead; see 'jimmy help search'.", valueName: "query"))
    var query: String?

    @Flag(help: "Tag the play queue instead.")
    var queue = false

    @Flag(help: "Let the name of a podcast stand for all of its episodes; with --query, include archived ones.")
    var all = false

    @Flag(help: Names.pickHelp)
    var pick = false

    @Flag(help: "Write all tags as lines of text, to a file if one is named.")
    var dump = false

    @Flag(help: "Read the lines of --dump from a file or standard input; each line replaces the tags of its episode.")
    var restore = false

    @OptionGroup var options: GlobalOptions

    private var edits: [String] { words.filter { $0.hasPrefix("+") || $0.hasPrefix("-") && $0 != "-" } }
    private var names: [String] { words.filter { !($0.hasPrefix("+") || $0.hasPrefix("-") && $0 != "-") } }

    func validate() throws {
        let sources = [!names.isEmpty, query != nil, queue, pick && names.isEmpty && query == nil].count { $0 }
        if dump || restore {
            if dump, restore { throw ValidationError("Give --dump or --restore, not both") }
            guard edits.isEmpty, query == nil, !queue, names.count <= 1 else {
                throw ValidationError("--\(dump ? "dump" : "restore") takes at most a file")
            }
        } else if sources > 1 {
            throw EpisodeSelection.severalSources
        } else if sources == 1, edits.isEmpty {
            throw ValidationError("Missing a tag to add (+word) or to remove (-word)")
        } else if sources == 0, !edits.isEmpty {
            throw ValidationError("Missing expected argument '<episode> ...', --query or --queue")
        }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        if dump { return try await dump(context) }
        if restore { return try await restore(context) }
        guard !edits.isEmpty else {
            context.console.show(TagListView(try await context.composition.open(.read).tag.counts()))
            return .done
        }
        let edit: TagEdit
        do throws(TagEdit.Failure) {
            edit = try TagEdit(edits)
        } catch {
            throw error.line
        }
        var run = TagRun(edit: edit, names: names, query: query, command: "tag", takesAll: all)
        (run.queue, run.picks) = (queue, pick)
        return try await run.run(context)
    }

    // MARK: Dump and restore

    private func dump(_ context: Context) async throws -> ExitStatus {
        let dump = try await context.composition.open(.read).dumpTags()
        let lines = dump.lines.map(\.text)
        if let file = names.first, file != "-" {
            try UserFile(file).replace(with: Array(lines.map { $0 + "\n" }.joined().utf8))
            context.console.note(TagWording.written(lines.count, to: file))
        } else {
            lines.forEach(context.console.print)
        }
        if dump.omitted > 0 { context.console.note(TagWording.omitted(dump.omitted)) }
        return .done
    }

    private func restore(_ context: Context) async throws -> ExitStatus {
        let file = UserFile(names.first ?? "-")
        let text = String(decoding: try file.read(), as: UTF8.self)
        let library = try await context.composition.open(.write)
        let report: RestoredTags
        do {
            report = try await library.restoreTags(text, now: context.now)
        } catch let bad as MalformedTagLine {
            throw TagWording.malformed(bad, in: file.name)
        }
        for line in report.waiting { context.console.report(TagWording.waiting(line)) }
        context.console.note(TagWording.restored(report))
        return report.waiting.isEmpty ? .done : .incomplete
    }
}

import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Queue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Manage the play queue, an ordered list of episodes without duplicates.",
        discussion: """
              jimmy queue
              jimmy queue add "Lighthouse keepers"
              mpv "$(jimmy queue next --json | jq -r .enclosures[0].url)" && jimmy queue next --done
            """,
        subcommands: [List.self, Add.self, Remove.self, Move.self, Next.self, Clear.self],
        defaultSubcommand: List.self)
}

extension Queue {
    struct List: Command {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the queue, in order.",
            discussion: "In a pipe: position, episode id, date, podcast, title, length, separated by tabs.")

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let library = try await context.composition.open(.read)
            let episodes = try await library.queue.list()
            try await context.console.show(EpisodeListView(episodes, numbered: true), library.shorten)
            if episodes.isEmpty { context.console.note(QueueWording.isEmpty) }
            return .done
        }
    }

    struct Add: Command {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Append episodes; those already queued stay where they are.",
            discussion: """
                With '-', reads ids from standard input: the first field of each line, or JSON Lines. If one does not exist, nothing \
                is added.

                  jimmy queue add "Lighthouse keepers" "Green tea"
                  jimmy queue add --all "Night Radio"
                  jimmy queue add "Night Radio" --season 2
                  jimmy queue add --query 'is:new longer:30m'
                  jimmy episodes --new --json | jq -r .id | jimmy queue add -
                """)

        @Argument(help: Names.episodesHelp, completion: Completions.anything)
        var episodes: [String] = []

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Append all matches of a query instead, oldest first.", valueName: "query"))
        var query: String?

        @Option(help: DateOrder.help)
        var sort = DateOrder.oldest

        @Flag(help: Names.allHelp)
        var all = false

        @Option(help: ArgumentHelp("Let the name of a podcast stand for the episodes of a season, oldest first.", valueName: "n"))
        var season: Count?

        @Flag(help: Names.pickHelp)
        var pick = false

        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if episodes.isEmpty, query == nil, !pick { throw ValidationError("Missing expected argument '<episode> ...'") }
            if !episodes.isEmpty, query != nil { throw ValidationError("Give episodes or --query, not both") }
            if season != nil, all || pick || episodes.isEmpty {
                throw ValidationError("--season needs the name of a podcast, without --all, --pick and --query")
            }
        }

        func run(_ context: Context) async throws -> ExitStatus {
            let library = try await context.composition.open(.write)
            var selection = EpisodeSelection(names: episodes, query: query, command: "queue add")
            selection.podcastMeaning = season.map { .season($0.value) } ?? (all ? .all : .refused)
            selection.picks = pick
            selection.oldestFirst = sort == .oldest
            let ids = try await selection.subscribed(library, context).map(\.episode.id)
            let added = try await library.queue.add(ids, now: context.now)
            try await context.console.show(EpisodeListView(try await library.listEpisodes.listed(added)), library.shorten)
            let alreadyQueued = Set(ids).count - added.count
            if alreadyQueued > 0 { context.console.note(QueueWording.alreadyQueued(alreadyQueued)) }
            if query != nil, ids.isEmpty { context.console.note(TagWording.nothingMatched) }
            return ids.isEmpty ? .incomplete : .done
        }
    }

    struct Remove: Command {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove episodes from the queue; exits 1 if one was not queued.",
            discussion: """
                With '-', reads ids from standard input: the first field of each line, or JSON Lines.

                  jimmy queue remove "Lighthouse keepers"
                  jimmy episodes --query 'is:queued is:played' | jimmy queue remove -
                """)

        @Argument(help: Names.queuedHelp, completion: Completions.queued)
        var episodes: [String]

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let library = try await context.composition.open(.write)
            var ids: [EpisodeID] = []
            var isMissing = false
            let written = episodes.contains("-") ? try await EpisodeSelection.onStandardInput(library, context).map(\.text) : []
            for name in episodes.filter({ $0 != "-" }) + written {
                if let id = try await library.queue.entry(name) {
                    ids.append(id)
                } else {
                    isMissing = true
                    context.console.report(.notQueued(name))
                }
            }
            let removed = ids.isEmpty ? [] : try await library.queue.remove(ids, now: context.now)
            for episode in try await library.listEpisodes.listed(removed) { context.console.note(QueueWording.removed(episode)) }
            return isMissing ? .incomplete : .done
        }
    }

    struct Move: Command {
        static let configuration = CommandConfiguration(
            commandName: "move",
            abstract: "Move an episode to a position, counted from 1.",
            discussion: "  jimmy queue move \"Lighthouse keepers\" 1")

        @Argument(help: Names.episodeHelp, completion: Completions.queued)
        var episode: String

        @Argument(help: "1 is the front; a position past the end means the end.")
        var position: Number<Position>

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let library = try await context.composition.open(.write)
            guard let id = try await library.queue.entry(episode),
                let position = try await library.queue.move(id, to: position.value, now: context.now)
            else {
                context.console.report(.notQueued(episode))
                return .incomplete
            }
            if let episode = try await library.listEpisodes.listed([id]).first {
                context.console.note(QueueWording.moved(episode, to: position))
            }
            return .done
        }
    }

    struct Next: Command {
        static let configuration = CommandConfiguration(
            commandName: "next",
            abstract: "Print the first episode; exits 1 if there is none.",
            discussion: """
                Changes nothing. With --done, for when you are through with the episode, it also takes it off the queue and removes \
                the tag new; the episode does not count as played.

                  jimmy queue next --json | jq -r '.enclosures[0].url'
                  jimmy queue next --done
                """)

        @Flag(help: "Also take it off the queue and remove its tag new.")
        var done = false

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let library = try await context.composition.open(done ? .write : .read)
            guard let next = try await done ? library.queue.finishNext(now: context.now) : library.queue.next() else {
                context.console.note(QueueWording.isEmpty)
                return .incomplete
            }
            try await context.console.show(EpisodeListView([next]), library.shorten)
            return .done
        }
    }

    struct Clear: Command {
        static let configuration = CommandConfiguration(
            commandName: "clear", abstract: "Empty the queue.", discussion: "  jimmy queue clear")

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let count = try await context.composition.open(.write).queue.clear(now: context.now)
            context.console.note(QueueWording.cleared(count))
            return .done
        }
    }
}

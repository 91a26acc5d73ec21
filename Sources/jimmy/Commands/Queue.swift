import ArgumentParser
import Domain
import Presentation

struct Queue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Manage the play queue, an ordered list of episodes without duplicates.",
        discussion: """
              jimmy queue
              jimmy queue add "Lighthouse keepers"
              mpv "$(jimmy queue next --json | jq -r .enclosures[0].url)"
            """,
        subcommands: [List.self, Add.self, Remove.self, Move.self, Next.self, Clear.self],
        defaultSubcommand: List.self)
}

extension Queue {
    struct List: Action {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the queue, in order.",
            discussion: "In a pipe: position, episode id, date, podcast, title, length, separated by tabs.")

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let episodes = try await context.composition.open(.read).queue.list()
            context.console.show(EpisodeListView(episodes, numbered: true))
            if episodes.isEmpty { context.console.note(QueueWording.isEmpty) }
            return .done
        }
    }

    struct Add: Action {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Append episodes; those already queued stay where they are.",
            discussion: """
                With '-', reads ids from standard input, separated by white space; exits 1 if one does not exist.

                  jimmy queue add "Lighthouse keepers" "Green tea"
                  jimmy episodes --new --json | jq -r .id | jimmy queue add -
                """)

        @Argument(help: Names.episodeHelp, completion: Completions.episode)
        var episodes: [String]

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let library = try await context.composition.open(.write)
            var listed: [ListedEpisode] = []
            var isMissing = false
            for name in episodes {
                guard name == "-" else {
                    let (podcast, episode) = try await library.find.episode(name)
                    listed.append(ListedEpisode(podcast: podcast, episode: episode))
                    continue
                }
                // A list of ids may be older than the library: the rest are queued.
                for id in String(decoding: try UserFile("-").read(), as: UTF8.self).split(whereSeparator: \.isWhitespace) {
                    do {
                        let (podcast, episode) = try await library.find.episode(String(id))
                        listed.append(ListedEpisode(podcast: podcast, episode: episode))
                    } catch let failure as LookupFailure {
                        isMissing = true
                        context.console.report(FailureLine(failure, doing: "queue add"))
                    }
                }
            }
            let added = try await library.queue.add(listed.map(\.episode.id), now: context.now)
            let fresh = added.compactMap { id in listed.first { $0.episode.id == id } }
            context.console.show(EpisodeListView(fresh))
            let known = listed.count - fresh.count
            if known > 0 { context.console.note(QueueWording.alreadyQueued(known)) }
            return isMissing ? .incomplete : .done
        }
    }

    struct Remove: Action {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove episodes from the queue; exits 1 if one was not queued.",
            discussion: "  jimmy queue remove \"Lighthouse keepers\"")

        @Argument(help: Names.episodeHelp, completion: Completions.queued)
        var episodes: [String]

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let queue = try await context.composition.open(.write).queue
            var ids: [EpisodeID] = []
            var isMissing = false
            for name in episodes {
                if let id = try await queue.entry(name) {
                    ids.append(id)
                } else {
                    isMissing = true
                    context.console.report(.notQueued(name))
                }
            }
            if !ids.isEmpty { _ = try await queue.remove(ids) }
            return isMissing ? .incomplete : .done
        }
    }

    struct Move: Action {
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
            let queue = try await context.composition.open(.write).queue
            guard let id = try await queue.entry(episode), let position = try await queue.move(id, to: position.value) else {
                context.console.report(.notQueued(episode))
                return .incomplete
            }
            context.console.note("Now at position \(position).")
            return .done
        }
    }

    struct Next: Action {
        static let configuration = CommandConfiguration(
            commandName: "next",
            abstract: "Print the first episode and remove it from the queue; exits 1 if the queue is empty.",
            discussion: "  jimmy queue next --json | jq -r '.enclosures[0].url'")

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            guard let next = try await context.composition.open(.write).queue.next() else {
                context.console.note(QueueWording.isEmpty)
                return .incomplete
            }
            context.console.show(EpisodeListView([next]))
            return .done
        }
    }

    struct Clear: Action {
        static let configuration = CommandConfiguration(
            commandName: "clear", abstract: "Empty the queue.", discussion: "  jimmy queue clear")

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let count = try await context.composition.open(.write).queue.clear()
            context.console.note(QueueWording.cleared(count))
            return .done
        }
    }
}

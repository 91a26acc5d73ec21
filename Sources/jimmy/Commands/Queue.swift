import ArgumentParser
import Domain
import Presentation

struct Queue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "The play queue: an ordered list of episodes without repeats.",
        discussion: """
              jimmy queue
              jimmy queue add 0a1b2c3d-5e6f
              mpv "$(jimmy queue next --json | jq -r .enclosures[0].url)"
            """,
        subcommands: [List.self, Add.self, Remove.self, Move.self, Next.self, Clear.self],
        defaultSubcommand: List.self)
}

extension Queue {
    struct List: Action {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the queue, in order.",
            discussion: "In a pipe: position, episode id, date, podcast, title, length, with tabs between them.")

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let episodes = try await context.composition.open(.read).queue.list()
            context.console.show(EpisodeListView(episodes, numbered: true))
            if episodes.isEmpty { context.console.note("The queue is empty; 'jimmy queue add EPISODE' fills it.") }
            return .done
        }
    }

    struct Add: Action {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Appends episodes; those that are queued already stay where they are.",
            discussion: "  jimmy queue add 0a1b2c3d-5e6f 0a1b2c3d-7g8h")

        @Argument(help: Names.episodeHelp, completion: Completions.episode)
        var episodes: [String]

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let library = try await context.composition.open(.write)
            var listed: [ListedEpisode] = []
            for name in episodes {
                let (podcast, episode) = try await library.find.episode(name)
                listed.append(ListedEpisode(podcast: podcast, episode: episode))
            }
            let added = try await library.queue.add(listed.map(\.episode.id), now: context.now)
            let fresh = added.compactMap { id in listed.first { $0.episode.id == id } }
            context.console.show(EpisodeListView(fresh))
            let known = listed.count - fresh.count
            if known > 0 { context.console.note(known == 1 ? "1 was queued already." : "\(known) were queued already.") }
            return .done
        }
    }

    struct Remove: Action {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Takes episodes off the queue; exits 1 if one was not queued.",
            discussion: "  jimmy queue remove 0a1b2c3d-5e6f")

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
                    context.console.report(FailureLine(name, "not in the queue", status: .incomplete))
                }
            }
            if !ids.isEmpty { _ = try await queue.remove(ids) }
            return isMissing ? .incomplete : .done
        }
    }

    struct Move: Action {
        static let configuration = CommandConfiguration(
            commandName: "move",
            abstract: "Moves an episode to a position, counted from 1.",
            discussion: "  jimmy queue move 0a1b2c3d-5e6f 1")

        @Argument(help: Names.episodeHelp, completion: Completions.queued)
        var episode: String

        @Argument(help: "1 is the front; past the end means the end.")
        var position: Positive

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let queue = try await context.composition.open(.write).queue
            guard let id = try await queue.entry(episode), let place = try await queue.move(id, to: position.value) else {
                context.console.report(FailureLine(episode, "not in the queue", status: .incomplete))
                return .incomplete
            }
            context.console.note("Now at position \(place).")
            return .done
        }
    }

    struct Next: Action {
        static let configuration = CommandConfiguration(
            commandName: "next",
            abstract: "Prints the first episode and takes it off; exits 1 if there is none.",
            discussion: "  jimmy queue next --json | jq -r .enclosures[0].url")

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            guard let next = try await context.composition.open(.write).queue.next() else {
                context.console.note("The queue is empty; 'jimmy queue add EPISODE' fills it.")
                return .incomplete
            }
            context.console.show(EpisodeListView([next]))
            return .done
        }
    }

    struct Clear: Action {
        static let configuration = CommandConfiguration(
            commandName: "clear", abstract: "Empties the queue.", discussion: "  jimmy queue clear")

        @OptionGroup var options: GlobalOptions

        func run(_ context: Context) async throws -> ExitStatus {
            let count = try await context.composition.open(.write).queue.clear()
            context.console.note(count == 1 ? "1 episode taken off." : "\(count) episodes taken off.")
            return .done
        }
    }
}

import Composition
import Domain
import Glibc
import Presentation
import Processes
import Synchronization
import UseCases

/// The user's commands that receive the new episodes of a refresh, one line of JSON each, on standard input.
final class Hooks: Sendable {
    /// The command of `--on-new`.
    private let command: String?
    /// The path of `hooks/post-refresh` in the settings folder; nil if it does not exist or is not executable.
    private let file: String?
    /// The new episodes of this refresh, for the file.
    private let lines = Mutex<[UInt8]>([])

    init(command: String? = nil) {
        self.command = command
        let file = Environment.folder("XDG_CONFIG_HOME", ".config") + "/hooks/post-refresh"
        self.file = access(file, X_OK) == 0 ? file : nil
    }

    /// True if new episodes must be marked as pending for `--on-new`.
    var waitsForNew: Bool { command != nil }

    func add(_ outcome: RefreshOutcome) {
        guard file != nil, !outcome.new.isEmpty else { return }
        let new = Set(outcome.new)
        let episodes = outcome.added.filter { new.contains($0.id) }
        let json = Self.json(episodes.map { ListedEpisode(podcast: outcome.podcast, episode: $0, tags: [.new]) })
        lines.withLock { $0 += json }
    }

    /// Runs `--on-new` if episodes are pending, from this refresh or from an earlier one whose command failed. Then
    /// runs the hook file in any case.
    ///
    /// - Parameter willTake: called after `--on-new` succeeded, before the episodes stop being pending.
    func run(
        _ library: OpenLibrary, _ console: Console, willTake: @Sendable () -> Void = {}
    ) async throws -> ExitStatus {
        var status = ExitStatus.done
        if let command {
            let waiting = try await library.tags.pendingEpisodes()
            let episodes = try await library.listEpisodes.listed(waiting)
            if !episodes.isEmpty {
                if await Self.run(command, Self.json(episodes), console, name: "--on-new") {
                    willTake()
                    try await library.tags.take(waiting)
                } else {
                    console.note(TagWording.waitingForHook(episodes.count))
                    status = .incomplete
                }
            }
        }
        if let file {
            _ = await Self.run("exec '\(file.replacing("'", with: "'\\''"))'", lines.withLock { $0 }, console, name: file)
        }
        return status
    }

    private static func json(_ episodes: [ListedEpisode]) -> [UInt8] {
        var lines: [UInt8] = []
        EpisodeListView(episodes).jsonLines { lines += Array($0.utf8) + [UInt8(ascii: "\n")] }
        return lines
    }

    /// - Returns: false if the command failed, which is reported.
    static func run(_ command: String, _ input: [UInt8], _ console: Console, name: String) async -> Bool {
        let problem: String
        switch await Child.run(shell: command, input: input) {
        case .ended(0): return true
        case .ended(let status): problem = "exited with \(status)"
        case .notStarted: problem = "could not be started"
        }
        console.report(FailureLine(name, problem, status: .incomplete))
        return false
    }
}

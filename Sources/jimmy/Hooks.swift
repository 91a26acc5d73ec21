import Domain
import Glibc
import Presentation
import Synchronization

/// Commands of the user's that get what a refresh brought: each new episode as a line of JSON on standard input.
final class Hooks: Sendable {
    /// Of `--on-new`.
    private let command: String?
    /// `hooks/post-refresh` in jimmy's folder of settings; nil where there is none.
    private let file: String?
    private let lines = Mutex<[UInt8]>([])

    init(command: String? = nil) {
        self.command = command
        let file = Composition.folder("XDG_CONFIG_HOME", ".config") + "/hooks/post-refresh"
        self.file = access(file, X_OK) == 0 ? file : nil
    }

    /// Remembers the new episodes, if anybody wants them.
    func add(_ outcome: RefreshOutcome) {
        guard command != nil || file != nil, !outcome.added.isEmpty else { return }
        let new = outcome.added.map { ListedEpisode(podcast: outcome.podcast, episode: $0) }
        lines.withLock { lines in
            EpisodeListView(new).jsonLines { lines += Array($0.utf8) + [UInt8(ascii: "\n")] }
        }
    }

    /// Runs `--on-new` where there is something new, and the hook in any case.
    func run(_ console: Console) {
        let input = lines.withLock { $0 }
        if let command, !input.isEmpty { run(command, input, console, name: "--on-new") }
        if let file { run("exec '\(file.replacing("'", with: "'\\''"))'", input, console, name: file) }
    }

    private func run(_ command: String, _ input: [UInt8], _ console: Console, name: String) {
        let status = Child.run(command, input: input)
        guard status != 0 else { return }
        console.report(FailureLine(name, status.map { "exited with \($0)" } ?? "could not be started", status: .incomplete))
    }
}

import Composition
import Domain
import Processes
import ServiceLifecycle
import Synchronization
import UseCases

/// `--refresh`: fetches what is due every quarter of an hour, until the server stops.
struct Refreshing: Service {
    let site: Site
    private static let interval = Duration.seconds(900)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await site.refresh()
                try await Task.sleep(for: Self.interval)
            }
        }
    }
}

extension Site {
    /// Runs `jimmy refresh`, the command in this program's folder, so that its hooks, transcripts and downloads are the
    /// same as in cron's runs, and its memory is separate. It reports failures on standard error.
    func refresh(_ arguments: String...) async {
        refreshes.add(1, ordering: .relaxed)
        await run(arguments)
    }

    /// Ends what was counted in `refreshes`.
    private func run(_ arguments: [String]) async {
        defer { refreshes.subtract(1, ordering: .relaxed) }
        let command = [OwnProgram.sibling("jimmy"), "refresh", "--quiet", "--library", composition.path] + arguments
        _ = await Child.runUnseen(command)
    }

    /// Starts the same without waiting for it.
    func refreshSoon() {
        guard !isRefreshing else { return }
        // Counted here, so that the next page shows it.
        refreshes.add(1, ordering: .relaxed)
        Task { await run([]) }
    }

    var isRefreshing: Bool { refreshes.load(ordering: .relaxed) > 0 }
}

import Composition
import ServiceLifecycle

/// Keeps the search index in line with a library in a database, until the server stops.
struct Following: Service {
    let site: Site

    func run() async throws {
        let library = try await site.composition.open(.read)
        let interval = Duration.seconds(site.composition.settings.poll.value)
        try? await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await library.follow()
                try await Task.sleep(for: interval)
            }
        }
    }
}

extension Site {
    /// True if the library is in a database and the setting `follow` does not forbid it.
    var follows: Bool { composition.isInDatabase && composition.settings.follow != .off }
}

import Composition
import Domain
import Presentation
import UseCases

/// The episode that `jimmy play` is asked for.
enum PlayChoice {
    /// - Parameters:
    ///   - name: an episode, a podcast, whose next episode is meant, or with `picks` a query.
    ///   - picks: true to ask.
    /// - Returns: nil if nothing was named.
    /// - Throws: `LookupFailure`, `FailureLine`.
    static func episode(_ name: String?, picks: Bool, _ library: OpenLibrary, _ context: Context) async throws -> Episode? {
        if picks {
            let picker = Picker(context: context, library: library, severalAllowed: false)
            return try await library.episodes.episodes(try await picker.pick(matching: name, for: "play")).first
        }
        guard let name else { return nil }
        switch try await library.find.named([name], context).first {
        case .episode(let id): return try await library.episodes.episodes([id]).first
        case .podcast(let podcast):
            guard let next = try await library.findNext(of: podcast.id) else { throw FailureLine.allHeard(podcast) }
            return next
        case nil: return nil
        }
    }
}

import ArgumentParser
import Domain
import Presentation

/// What a shell offers for names of podcasts and episodes.
enum Completions {
    static let podcast = CompletionKind.custom { words, index, _ in
        candidates(words, index) { library, word in
            let podcasts = try await library.fetchPodcasts()
            // Ids only where somebody has begun to type one.
            return podcasts.compactMap { safe($0.displayTitle) ?? $0.id.text }
                + (word.isEmpty ? [] : podcasts.map(\.id.text).filter { $0.hasPrefix(word) })
        }
    }

    static let episode = CompletionKind.custom { words, index, _ in
        candidates(words, index) { library, word in
            var filter = FetchEpisodes.Filter()
            filter.limit = 200
            return try await library.fetchEpisodes(filter).map(described)
        }
    }

    static let queued = CompletionKind.custom { words, index, _ in
        candidates(words, index) { library, _ in try await library.queue.list().map(described) }
    }

    /// Nothing is said where nothing can be offered: somebody is typing.
    private static func candidates(
        _ words: [String], _ index: Int, _ find: @escaping @Sendable (OpenLibrary, String) async throws -> [String]
    ) -> [String] {
        let option = words.firstIndex(of: "--library").map { words.index(after: $0) }
        let folder = option.flatMap { words.indices.contains($0) ? words[$0] : nil }
        let word = words.indices.contains(index) ? words[index] : ""
        guard let settings = try? Settings(library: folder) else { return [] }
        let composition = Composition(settings)
        return MainThread.run(onPool: false) {
            (try? await find(try await composition.open(.read), word)) ?? []
        }
    }

    /// The id, and the title beside it in shells that show such.
    private static func described(_ listed: ListedEpisode) -> String {
        let id = listed.episode.id.text
        guard let title = safe("\(listed.episode.item.title ?? "") (\(listed.podcast.displayTitle))") else { return id }
        switch Terminal.variable("SAP_SHELL") {
        case "zsh": return "\(id):\(title)"
        case "fish": return "\(id)\t\(title)"
        default: return id
        }
    }

    /// nil where a shell might act on the text: bash expands the words that it is offered, and titles are strangers' text.
    private static func safe(_ title: String) -> String? {
        let text = title.oneLine
        let isHarmless = text.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || $0.properties.numericType != nil || " .,-_&()+#!/%@=".unicodeScalars.contains($0) }
        return isHarmless && !text.isEmpty ? text : nil
    }
}

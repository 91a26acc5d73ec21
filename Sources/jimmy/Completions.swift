import ArgumentParser
import Composition
import Domain
import Presentation
import Threads
import UseCases

/// Completions for names of podcasts and episodes: titles, or ids if a title is ambiguous.
enum Completions {
    static let podcast = CompletionKind.custom { words, index, _ in
        candidates(words, index) { try await podcasts($0, $1) }
    }

    static let anything = CompletionKind.custom { words, index, _ in
        candidates(words, index) { try await podcasts($0, $1) + episodes($0, $1) }
    }

    /// The owner's tags behind + and -, and what can be tagged.
    static let tagging = CompletionKind.custom { words, index, _ in
        candidates(words, index) { library, word in
            if word.hasPrefix("+") || word.hasPrefix("-") {
                let tags = Set(try await library.tag.counts().map(\.tag)).union(Tag.meaningful).subtracting([.downloaded])
                return tags.sorted().map { String(word.prefix(1)) + $0.text }
            }
            return try await podcasts(library, word) + episodes(library, word)
        }
    }

    static let queued = CompletionKind.custom { words, index, _ in
        candidates(words, index) { library, _ in offered(try await library.queue.list()) }
    }

    private static func podcasts(_ library: OpenLibrary, _ word: String) async throws -> [String] {
        let podcasts = try await library.fetchPodcasts()
        // Ids only if the user has begun to type one.
        return podcasts.map { safe($0.displayTitle) ?? $0.id.text }
            + (word.isEmpty ? [] : podcasts.map(\.id.text).filter { $0.hasPrefix(word) })
    }

    private static func episodes(_ library: OpenLibrary, _ word: String) async throws -> [String] {
        var filter = ListEpisodes.Filter()
        // Before anything is typed, only the newest ones are offered.
        filter.limit = word.isEmpty ? 100 : 5_000
        let listed = try await library.listEpisodes(filter)
        return offered(listed) + (word.isEmpty ? [] : listed.map(\.episode.id.text).filter { $0.hasPrefix(word) })
    }

    /// Titles, or ids for titles that several episodes share.
    private static func offered(_ listed: [ListedEpisode]) -> [String] {
        var counts: [String: Int] = [:]
        for episode in listed { counts[episode.episode.item.title?.oneLine ?? "", default: 0] += 1 }
        return listed.map { listed in
            let title = listed.episode.item.title?.oneLine ?? ""
            return counts[title] == 1 ? safe(title) ?? described(listed) : described(listed)
        }
    }

    /// Finds completions. Errors print nothing, because the user is typing.
    private static func candidates(
        _ words: [String], _ index: Int, _ find: @escaping @Sendable (OpenLibrary, String) async throws -> [String]
    ) -> [String] {
        let option = words.firstIndex(of: "--library").map { words.index(after: $0) }
        let folder = option.flatMap { words.indices.contains($0) ? words[$0] : nil }
        let word = words.indices.contains(index) ? words[index].filter { !"\"'\\".contains($0) } : ""
        guard let settings = try? Settings(library: folder) else { return [] }
        return BlockingThread.whileCallerWaits(onPool: false) { thread in
            let composition = Composition(settings, on: thread)
            return (try? await find(try await composition.open(.read), word)) ?? []
        }
    }

    /// The id, with the title as its description in shells that show one.
    private static func described(_ listed: ListedEpisode) -> String {
        let id = listed.episode.id.text
        let title = "\(listed.episode.item.title ?? "") (\(listed.podcast.displayTitle))".oneLine
        switch Environment.variable("SAP_SHELL") {
        case "zsh": return "\(id):\(title)"
        case "fish": return "\(id)\t\(title)"
        default: return id
        }
    }

    /// The title in a form that is safe to offer; nil if a shell might act on it: titles are untrusted. The scripts quote
    /// what they offer, but what is shown must not control a terminal or begin an option.
    private static func safe(_ title: String) -> String? {
        let text = title.oneLine
        guard let first = text.unicodeScalars.first, !"-+".unicodeScalars.contains(first),
            !text.unicodeScalars.contains(where: { "$`\\~*?[]{}".unicodeScalars.contains($0) })
        else { return nil }
        // In zsh, a colon begins the description.
        return Environment.variable("SAP_SHELL") == "zsh" ? text.replacing(":", with: "\\:") : text
    }
}

public import Domain

/// Searches all directories side by side.
public struct DiscoverPodcasts: Sendable {
    public struct Report: Sendable {
        /// Best first, each feed once.
        public var entries: [DirectoryEntry]
        /// Directories that failed although another answered.
        public var failures: [(directory: DirectoryName, error: any Error)]
    }

    private struct Answer: Sendable {
        let number: Int
        let entries: Result<[DirectoryEntry], any Error>
    }

    private let directories: [any PodcastDirectory]

    public init(directories: [any PodcastDirectory]) { self.directories = directories }

    /// - Throws: the first directory's error if none of them answered.
    public func callAsFunction(_ term: String, country: String?, limit: Int) async throws -> Report {
        let answers = await withTaskGroup(of: Answer.self) { group in
            for (number, directory) in directories.enumerated() {
                group.addTask {
                    do {
                        let entries = try await directory.search(term, country: country, limit: limit)
                        return Answer(number: number, entries: .success(entries))
                    } catch {
                        return Answer(number: number, entries: .failure(error))
                    }
                }
            }
            var answers: [Answer] = []
            for await answer in group { answers.append(answer) }
            return answers.sorted { $0.number < $1.number }
        }
        var lists: [[DirectoryEntry]] = []
        var failures: [(directory: DirectoryName, error: any Error)] = []
        for answer in answers {
            switch answer.entries {
            case .success(let entries): lists.append(entries)
            case .failure(let error): failures.append((directories[answer.number].name, error))
            }
        }
        if lists.isEmpty, let first = failures.first { throw first.error }
        return Report(entries: Array(Self.merged(lists).prefix(limit)), failures: failures)
    }

    /// Interleaves the lists by rank. Gaps in an entry are filled from later entries for the same feed.
    static func merged(_ lists: [[DirectoryEntry]]) -> [DirectoryEntry] {
        var entries: [DirectoryEntry] = []
        var positions: [String: Int] = [:]
        for rank in 0..<(lists.map(\.count).max() ?? 0) {
            for list in lists where rank < list.count {
                let entry = list[rank]
                if let position = positions[feedKey(entry.feedURL)] {
                    entries[position].fillGaps(from: entry)
                } else {
                    positions[feedKey(entry.feedURL)] = entries.count
                    entries.append(entry)
                }
            }
        }
        return entries
    }

    /// Directories differ in the scheme and the trailing slash of a feed's URL.
    private static func feedKey(_ url: String) -> String {
        var key = url.prefix { $0 != ":" } == "http" ? "https" + url.dropFirst(4) : url
        if key.hasSuffix("/") { key.removeLast() }
        return key
    }
}

extension DirectoryEntry {
    fileprivate mutating func fillGaps(from other: DirectoryEntry) {
        author = author ?? other.author
        episodes = episodes ?? other.episodes
        imageURL = imageURL ?? other.imageURL
        link = link ?? other.link
        medium = medium ?? other.medium
    }
}

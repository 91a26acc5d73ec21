import Addresses
public import Domain
public import Results

/// Takes over what a file of another podcast program holds: subscriptions, and what its user did with episodes. Nothing
/// is fetched, so most of the latter waits for the first fetch.
public struct ImportLibrary: Sendable {
    private let subscribe: ImportSubscriptions
    private let restore: RestoreTags

    public init(_ library: Repositories, restore: RestoreTags) {
        subscribe = ImportSubscriptions(library)
        self.restore = restore
    }

    /// All of it is one step that can be undone.
    public func callAsFunction(_ foreign: ForeignLibrary, now: Timestamp) async throws -> ImportedLibrary {
        let verdicts = try await subscribe(foreign.outlines, now: now)
        var urls: [String: String] = [:]
        for verdict in verdicts {
            guard let podcast = verdict.podcast, let url = FeedURL.parse(verdict.outline.feedURL)?.url else { continue }
            urls[url] = podcast.feedURL
        }
        var lines: [TagLine] = []
        for line in foreign.lines {
            // Those of feeds that were refused cannot be taken; the verdict says so.
            guard let url = urls[line.feedURL] else { continue }
            var line = line
            line.feedURL = url
            lines.append(line)
        }
        let restored = try await restore.add(lines, of: verdicts, as: UndoMark(.importFile, at: now))
        return ImportedLibrary(
            foreign: foreign, verdicts: verdicts, lines: lines, waiting: restored.waiting.count)
    }
}

import Database
import DatabaseServer
import Domain
import FileSystem
import Glibc
import Testing

@testable import Library

/// The kinds of library that must fulfil the contract, and how to open one. A new kind adds a case here and nothing else.
enum LibraryKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case folder, folderWithCatalogue, database, twoDatabases

    /// Without a database server its cases are skipped, unless they are required.
    static var allCases: [LibraryKind] {
        PostgresServer.shared == nil && !PostgresServer.isRequired
            ? [.folder, .folderWithCatalogue] : [.folder, .folderWithCatalogue, .database, .twoDatabases]
    }

    var testDescription: String { rawValue }

    func make() throws -> TemporaryLibrary {
        switch self {
        case .folder, .folderWithCatalogue:
            var template = Array("\(P_tmpdir)/jimmy-contract-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { throw SystemFailure.call("mkdtemp", errno: errno) }
            let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return TemporaryLibrary {
                let library = try await Library.open(
                    Disk(root: folder + "/library", calls: SystemCalls()), .write(waitSeconds: 10),
                    cache: self == .folderWithCatalogue ? folder + "/cache" : nil, minCatalogued: 0)
                return library.repositories
            } remove: {
                removeFolder(folder)
            }
        case .database, .twoDatabases:
            let address = try DatabaseAddress(
                self == .database
                    ? try #require(PostgresServer.shared).newLibrary() : try #require(DatabaseRouter.shared).newLibrary())
            return TemporaryLibrary {
                let library = try await Database.open(address, .create)
                return library.repositories
            } remove: {
            }
        }
    }
}

/// A library that is removed at the end of the test.
final class TemporaryLibrary: Sendable {
    /// Opens the library as another process would.
    let open: @Sendable () async throws -> Repositories
    private let remove: @Sendable () -> Void

    init(open: @escaping @Sendable () async throws -> Repositories, remove: @escaping @Sendable () -> Void) {
        self.open = open
        self.remove = remove
    }

    deinit { remove() }
}

private func removeFolder(_ path: String) {
    for name in folderNames(path) ?? [] where unlink("\(path)/\(name)") != 0 { removeFolder("\(path)/\(name)") }
    rmdir(path)
}

// MARK: What is stored

let noon = Timestamp(seconds: 1_800_000_000)

func podcast(_ number: Int, host: String = "radio.example") -> Podcast {
    let url = "https://\(host)/feed\(number).xml"
    return Podcast(id: PodcastID(feedURL: url), feedURL: url, subscribedAt: noon)
}

func episode(_ number: Int, of podcast: PodcastID, id: String? = nil) -> Episode {
    var item = Item()
    item.guid = "guid-\(number)"
    item.title = "Episode \(number)"
    item.publishedAt = noon + Int64(number)
    return Episode(
        id: id.flatMap { EpisodeID(text: "\(podcast)-\($0)") } ?? EpisodeID(podcast: podcast, identity: "guid:guid-\(number)"),
        item: FeedItem(item), firstSeenAt: noon, changedAt: noon)
}

/// The outcome of a fetch, as `add` and `settle` take it.
func fetched(_ podcast: Podcast, _ episodes: [Episode], replacing replaced: [Episode] = []) -> (Podcast, PodcastChanges) {
    var podcast = podcast
    podcast.episodesRevision += 1
    podcast.episodeCount += episodes.count
    podcast.title = podcast.title ?? "Radio"
    podcast.latestEpisodeAt = (episodes.compactMap(\.orderedAt) + [podcast.latestEpisodeAt].compactMap { $0 }).max()
    podcast.fetch.validators = Validators(url: podcast.feedURL, etag: "\"\(podcast.episodesRevision)\"")
    podcast.fetch.lastAttemptAt = noon
    var channel = Channel()
    channel.title = podcast.title
    return (
        podcast,
        PodcastChanges(
            podcastID: podcast.id, revision: podcast.episodesRevision, channel: channel, added: episodes, replaced: replaced)
    )
}

extension Repositories {
    /// Subscribes, with the episodes of a first fetch unless there are none.
    @discardableResult
    func subscribe(_ podcast: Podcast, _ episodes: [Episode] = []) async throws -> Podcast {
        guard !episodes.isEmpty else { return try await podcasts.add([NewSubscription(podcast)])[0].podcast }
        let (described, changes) = fetched(podcast, episodes)
        return try await podcasts.add([NewSubscription(described, changes: changes)])[0].podcast
    }

    /// Repositories the settlements in a run of their own.
    func settle(_ settlements: [Settlement]) async throws -> [WriteResult] {
        let run = try await work.begin(WorkRequest(mode: .force), now: noon)
        let results = try await work.settle(settlements, run.lease)
        try await work.release(run.lease, times: nil)
        return results
    }
}

import Domain
import FileSystem
import Glibc
import Index
import Searching

/// An index in a folder of its own, which goes with it.
final class IndexFixture {
    let folder: String
    let index: SegmentIndex
    var path: String { folder + "/cache/index" }

    init() throws {
        var template = Array("/tmp/index-tests-XXXXXX\0".utf8CString)
        let made = mkdtemp(&template)
        folder = made.map { String(cString: $0) } ?? ""
        index = try SegmentIndex(folder: folder + "/cache/index")
    }

    deinit {
        chmod(path, 0o700)
        for name in files { unlink(path + "/" + name) }
        for folder in [path, folder + "/cache", folder] { rmdir(folder) }
    }

    /// Another process's view of the same index.
    func another() throws -> SegmentIndex { try SegmentIndex(folder: path) }

    /// Names of the files of the index, in order.
    var files: [String] { (folderNames(path) ?? []).sorted() }

    var segments: [String] { files.filter { $0.hasPrefix("segment-") } }

    func search(_ text: String, _ change: (inout SearchRequest) -> Void = { _ in }) async throws -> [String] {
        var request = SearchRequest(text: text)
        change(&request)
        return try await index.search(request).hits.map(\.episodeID.text)
    }
}

let day = Timestamp(seconds: 1_700_000_000)

func podcast(_ id: String = "pod00000", title: String = "A Podcast", revision: Int = 1) -> Podcast {
    var podcast = Podcast(id: PodcastID(text: id), feedURL: "https://example.com/\(id).xml", subscribedAt: day)
    podcast.title = title
    podcast.contentRevision = revision
    return podcast
}

/// Episode `name` of the podcast `pod00000`; a day older for each `age`.
func episode(
    _ name: String, _ title: String, age: Int64 = 0, of podcast: String = "pod00000", _ change: (inout Item) -> Void = { _ in }
) -> Episode {
    var item = Item()
    item.title = title
    item.publishedAt = day - age * 86_400
    change(&item)
    guard let id = EpisodeID(text: podcast + "-" + name) else { preconditionFailure("not an id: \(name)") }
    return Episode(id: id, item: FeedItem(item), firstSeenAt: day, changedAt: day)
}

extension SegmentIndex {
    /// The podcasts whose indexed revision is not the given one, and those indexed that are not given at all.
    func stale(_ revisions: [PodcastID: Int]) async throws -> [PodcastID] {
        let indexed = try contentRevisions(of: Array(revisions.keys))
        let changed = revisions.filter { indexed[$0.key] != $0.value }.map(\.key)
        return (changed + (try podcasts()).filter { revisions[$0] == nil }).sorted()
    }
}

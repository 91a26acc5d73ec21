import Database
import Domain
import Index
import Threads

/// The index of a library in a database, made from it when it is first searched, and gone with the process.
actor TransientIndex: SearchIndex {
    private let library: Database
    private let thread: BlockingThread?
    private var made: SegmentIndex?

    init(of library: Database, on thread: BlockingThread?) { (self.library, self.thread) = (library, thread) }

    private func index() async throws -> SegmentIndex {
        if let made { return made }
        let index = try SegmentIndex.temporary(on: thread)
        try await ReconcileIndex(podcasts: library, episodes: library, transcripts: library, index: index)()
        made = index
        return index
    }

    // It is made from the library as it is, so nothing has to be brought in line.

    func revision() async throws -> Int? { try await library.revision() }
    func contentRevisions(of podcasts: [PodcastID]) -> [PodcastID: Int] { [:] }
    func podcasts() -> Set<PodcastID> { [] }
    func add(_ changes: [IndexChange]) { made = nil }
    func save(revision: Int?) {}

    func search(_ request: SearchRequest) async throws -> SearchResults { try await index().search(request) }

    func episodes(matching request: SearchRequest) async throws -> [EpisodeID] {
        try await index().episodes(matching: request)
    }

    func similar(to episode: Episode, of podcast: Podcast, limit: Int) async throws -> [SimilarHit] {
        try await index().similar(to: episode, of: podcast, limit: limit)
    }

    nonisolated func snippet(
        of hit: SearchHit, in episode: Episode, of podcast: Podcast, for request: SearchRequest
    ) -> Snippet {
        SegmentIndex.snippet(of: hit, in: episode, of: podcast, for: request)
    }

    nonisolated func snippet(of hit: SearchHit, in transcript: [TranscriptSegment], for request: SearchRequest) -> Snippet {
        SegmentIndex.snippet(of: hit, in: transcript, for: request)
    }
}

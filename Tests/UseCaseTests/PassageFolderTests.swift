import Domain
import Testing
import Transcribing

@Suite struct PassageFolderTests {
    /// Each of two runs of `transcribe` that end at once stores the list.
    @Test func `those who store the same file at once do not disturb each other`() async throws {
        let household = try Household()
        let store = PassageFolder(household.folder + "/passages")
        var list = FingerprintedLibrary()
        list.podcasts = [PodcastID(text: "p"): FingerprintedPodcast(revision: 1, networks: [2])]
        let same = list
        try await withThrowingTaskGroup { runs in
            for _ in 0..<4 {
                runs.addTask { for _ in 0..<25 { try store.store(same) } }
            }
            try await runs.waitForAll()
        }
        #expect(try store.list() == same)
    }
}

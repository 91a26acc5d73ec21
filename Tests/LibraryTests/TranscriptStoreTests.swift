import Domain
import Testing

@testable import Library

@Suite struct TranscriptStoreTests {
    let folder = TemporaryFolder()
    private let podcast = samplePodcast(1).id
    private func episode(_ number: Int) -> EpisodeID { sampleEpisode(samplePodcast(1), number).id }

    @Test func `what is kept is read back`() async throws {
        let library = try await folder.open()
        try await library.add((1...3).map { sampleEpisode(samplePodcast(1), $0) }, to: samplePodcast(1))
        try await library.addTranscripts([1], of: podcast, failing: [2])
        let stored = try #require(try await library.transcripts.transcript(of: episode(1)))
        let source = stored.source
        #expect(stored.segments == sampleSpeech)
        #expect(stored.file == "\(folder.path)/transcripts/\(podcast)/\(episode(1)).jsonl")
        let list = try await folder.open(.read).transcripts.entries(of: podcast)
        #expect(list.entries[episode(1)]?.stored == source)
        #expect(source.validators?.etag == "\"1\"")
        #expect(list.entries[episode(2)]?.failure?.status == 404)
        #expect(list.entries[episode(2)]?.retryAt == someTime + 3_600)
        #expect(try await library.transcripts.transcript(of: episode(2)) == nil)
        #expect(try await library.transcripts.segments(of: [episode(1), episode(2)]) == [episode(1): sampleSpeech])
        #expect(try await library.transcripts.entries(of: samplePodcast(2).id).entries.isEmpty)
    }

    @Test func `a transcript of another episode is damage`() async throws {
        let library = try await folder.open()
        try await library.add((1...3).map { sampleEpisode(samplePodcast(1), $0) }, to: samplePodcast(1))
        try await library.addTranscripts([1, 2], of: podcast)
        let names = (1...2).map { "transcripts/\(podcast)/\(episode($0)).jsonl" }
        try folder.write(names[0], try #require(try folder.bytes(names[1])))
        await #expect(throws: LibraryFailure.self) { try await library.transcripts.transcript(of: episode(1)) }
        #expect(try await library.transcripts.segments(of: [episode(1), episode(2)]).keys.map(\.self) == [episode(2)])
    }

    /// Only our own ids become names, whatever a feed or a user says.
    @Test(arguments: ["../../x", "a/b", "", "é"]) func `names come from ids only`(text: String) {
        #expect(TranscriptFile.folder(of: PodcastID(text: text)) == nil)
        #expect(EpisodeID(text: "\(podcast)-\(text)").flatMap({ TranscriptFile.name($0) }) == nil)
    }

    @Test func `removing leaves nothing`() async throws {
        let library = try await folder.open()
        try await library.addTranscripts([1, 2], of: podcast)
        try await library.podcasts.remove([podcast, samplePodcast(2).id], keepingEpisodes: false)
        #expect(try folder.disk().list("transcripts").isEmpty)
    }

    /// At every system call: each transcript is the old one or the new one, none is damaged, and the run done again ends
    /// as if nothing had happened.
    @Test func `a kill anywhere leaves old or new`() async throws {
        do {
            let library = try await folder.open()
            try await library.add((1...3).map { sampleEpisode(samplePodcast(1), $0) }, to: samplePodcast(1))
            try await library.addTranscripts([1], of: podcast)
        }
        let before = try folder.snapshot()
        var number = 0
        while true {
            try folder.restore(before)
            let calls = FailingCalls(at: number, .kill)
            try? await folder.open(calls: calls.system).addTranscripts([1, 2, 3], of: podcast)
            guard calls.hasFailed else { break }
            #expect(try Inspection(folder.disk()).damage == [], "call \(number)")
            let library = try await folder.open()
            let spoken = try await library.transcripts.segments(of: (1...3).map(episode))
            #expect(spoken[episode(1)] == sampleSpeech && spoken.values.allSatisfy { $0 == sampleSpeech }, "call \(number)")
            // What is durable is announced: the index asks again.
            let record = try #require(try await library.podcast(podcast))
            if try await library.transcripts.entries(of: podcast).revision > 1 {
                #expect(record.transcripts.revision > 1, "call \(number)")
            }
            try await library.addTranscripts([1, 2, 3], of: podcast)
            #expect(try await library.transcripts.segments(of: (1...3).map(episode)).count == 3)
            number += 1
        }
        #expect(number > 20)
        #expect(try Inspection(folder.disk()).damage == [])
    }
}

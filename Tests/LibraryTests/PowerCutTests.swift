import Addresses
import Domain
import SeededNumbers
import Testing

@testable import Library

/// A day with the library, recorded call by call, with a power cut at each of them.
@Suite struct PowerCutTests {
    let folder = TemporaryFolder()
    let cutFolder = TemporaryFolder()

    /// One step of the day; when it returns, the user has been told of it.
    private typealias Act = @Sendable (Library) async throws -> Void

    private static let day: [Act] = [
        { library in  // A first fetch, with a password.
            var podcast = samplePodcast(3)
            podcast.credentials = Credentials(user: "bob", password: "pw")
            try await library.add((1...3).map { sampleEpisode(podcast, $0) }, to: podcast)
        },
        { library in  // The password is no longer needed.
            var podcast = try #require(try await library.podcast(samplePodcast(3).id))
            podcast.credentials = nil
            try await library.save([podcast])
        },
        { library in  // A refresh: new, edited and withdrawn episodes.
            let podcast = try #require(try await library.podcast(samplePodcast(1).id))
            var edited = sampleEpisode(podcast, 2)
            edited.item.title = "Edited"
            try await library.add([sampleEpisode(podcast, 4)], to: podcast, replacing: [edited])
        },
        { library in  // Many podcasts at once.
            try await library.apply(
                (5...11).map {
                    PodcastChanges(
                        podcastID: samplePodcast($0).id, revision: 1, channel: nil, added: [sampleEpisode(samplePodcast($0), 1)],
                        replaced: [])
                })
            try await library.save(
                (5...11).map { number in
                    var podcast = samplePodcast(number)
                    (podcast.episodesRevision, podcast.episodeCount) = (1, 1)
                    podcast.fetch.validators = Validators(url: podcast.feedURL, etag: "\"1\"")
                    return podcast
                })
        },
        { library in
            var ledger = try await library.work.lastRefresh()
            ledger.startedAt = someTime + 1
            try await library.save(ledger)
        },
        { library in
            try await library.queue.update {
                $0.append(QueueEntry(episodeID: sampleEpisode(samplePodcast(3), 1).id, addedAt: someTime))
            }
        },
        { library in  // Tags of many episodes.
            let ids = (1...3).flatMap { number in (1...3).map { sampleEpisode(samplePodcast(number), $0).id } }
            _ = try await library.tags.edit(TagEdit(["+starred", "+new"]), of: ids)
        },
        { library in  // A refresh brings a new episode.
            let podcast = try #require(try await library.podcast(samplePodcast(1).id))
            try await library.add([sampleEpisode(podcast, 5)], to: podcast, areNew: true)
        },
        { library in
            try await library.podcasts.remove([samplePodcast(2).id], keepingEpisodes: true)
        },
        { library in
            var changes = TagChanges()
            for episode in try await library.tags.taggedEpisodes() where episode.id.podcastID == samplePodcast(1).id {
                changes.tags[episode.id] = []
                changes.waiting.append(TagLine(tags: episode.tags, feedURL: samplePodcast(1).feedURL, key: episode.id.text))
            }
            try await library.tags.apply(changes)
        },
        { library in
            try await library.podcasts.remove([samplePodcast(1).id], keepingEpisodes: false)
        },
        { library in  // The subscription comes back to its kept episodes.
            try await library.add([sampleEpisode(samplePodcast(2), 4)], to: samplePodcast(2))
        },
        { library in
            try await library.podcasts.remove([samplePodcast(2).id], keepingEpisodes: true)
        },
        { library in  // And again, to a feed that says nothing new.
            var podcast = samplePodcast(2)
            podcast.revision = try await library.episodes.stored(of: podcast.id).revision
            try await library.save([podcast])
        },
        { library in  // An unsubscription that is taken back.
            var step = UndoStep(.unsubscribe, at: someTime)
            step.removed = try await library.podcasts.podcasts([samplePodcast(2).id])
            try await library.undo.record(step, keepingRedo: false)
        },
        { library in
            try await library.podcasts.remove([samplePodcast(2).id], keepingEpisodes: false)
        },
        { library in
            let step = try #require(try await library.undo.steps().first)
            _ = try await library.undo.restore(step.step.removed, of: step.number)
            try await library.undo.changeOwned(of: [], settling: step.number) { _ in ((), nil) }
        },
    ]

    private func prepare() async throws {
        let library = try await folder.open()
        for number in 1...2 {
            try await library.add((1...3).map { sampleEpisode(samplePodcast(number), $0) }, to: samplePodcast(number))
        }
        _ = try await library.queue.update {
            $0 = [QueueEntry(episodeID: sampleEpisode(samplePodcast(1), 1).id, addedAt: someTime)]
        }
    }

    /// Each podcast is in its old or its new state, nothing reported as done is lost, no validator is newer than its
    /// episodes, and nothing needs repair.
    @Test func `every power cut leaves old or new`() async throws {
        try await prepare()
        let before = try folder.snapshot().sorted { $0.key < $1.key }
        let recording = DiskRecording(root: folder.path, files: before.map(\.key))
        var views = [try await folder.view()]
        var ends = [0]
        do {
            let library = try await folder.open(calls: recording.calls)
            for act in Self.day {
                try await act(library)
                ends.append(recording.steps.count)
                views.append(try await folder.view())
            }
        }
        let power = PowerCut(before: before.map { ($0.key, $0.value) }, steps: recording.steps)
        _ = try await cutFolder.open()
        var generator = SplitMix(seed: 1)
        var count = 0
        for cut in 0...power.steps.count {
            let doneActs = ends.lastIndex { $0 <= cut } ?? 0
            for state in power.states(at: cut, random: 2, from: &generator) {
                try cutFolder.restore(state)
                let label = "cut \(cut) after \(doneActs) acts, state \(count)"
                do {
                    try check(try await cutFolder.view(), views[doneActs], views[min(doneActs + 1, views.count - 1)], label)
                    let damage = try Inspection(cutFolder.disk()).damage
                    #expect(damage == [], "\(label)")
                } catch {
                    Issue.record("\(label): \(error)")
                }
                count += 1
            }
        }
        print("\(count) states after \(power.steps.count) steps")
        #expect(count > 1_000)
    }

    private func check(_ view: LibraryView, _ old: LibraryView, _ new: LibraryView, _ label: String) throws {
        #expect(view.tags == old.tags || view.tags == new.tags, "\(label)")
        #expect(view.queue == old.queue || view.queue == new.queue, "\(label)")
        #expect(view.ledger == old.ledger || view.ledger == new.ledger, "\(label)")
        for id in Set(old.podcasts.keys).union(new.podcasts.keys).union(view.podcasts.keys) {
            let podcast = view.podcasts[id]
            let episodes = view.episodes[id]
            #expect(podcast == old.podcasts[id] || podcast == new.podcasts[id], "\(label)")
            #expect(episodes == old.episodes[id] || episodes == new.episodes[id], "\(label)")
            // The record may be older than the episodes, never newer.
            if podcast != nil, podcast == new.podcasts[id], podcast != old.podcasts[id] {
                #expect(episodes == new.episodes[id], "\(label)")
            }
        }
    }
}

/// What commands would show.
struct LibraryView: Equatable {
    var podcasts: [PodcastID: Podcast] = [:]
    var episodes: [PodcastID: [Episode]] = [:]
    var queue: [QueueEntry] = []
    var ledger = RefreshTimes()
    /// All tags and all waiting lines change together.
    var tags: Tags = Tags()

    struct Tags: Equatable {
        var tagged: [TaggedEpisode] = []
        var waiting: [TagLine] = []
    }
}

extension TemporaryFolder {
    func view() async throws -> LibraryView {
        let library = try await open(.read)
        var view = LibraryView(queue: try await library.queue.entries(), ledger: try await library.work.lastRefresh())
        view.tags = LibraryView.Tags(
            tagged: try await library.tags.taggedEpisodes(), waiting: try await library.tags.waitingTags())
        for podcast in try await library.allPodcasts() { view.podcasts[podcast.id] = podcast }
        for podcast in Array(view.podcasts.values) + (try await library.unsubscribed()) {
            view.episodes[podcast.id] = try await library.episodes.episodes(of: podcast.id)
        }
        return view
    }
}

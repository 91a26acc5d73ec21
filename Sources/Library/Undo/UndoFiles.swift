import Domain
import JSON
import Records

/// Steps that can be undone: `undo/<number>.json` for each, and a folder `undo/<number>` with the files of the podcasts
/// that it removed.
///
/// The files are hard links, so a step copies nothing. The step's own file is written after them and removed before
/// them.
struct UndoFiles {
    static let folder = "undo"

    private let disk: Disk
    private let episodes: EpisodeFiles
    private let transcripts: TranscriptFiles

    init(disk: Disk) {
        self.disk = disk
        episodes = EpisodeFiles(disk: disk, places: nil)
        transcripts = TranscriptFiles(disk: disk)
    }

    private func document(_ number: Int) -> Document { Document(name: "\(Self.folder)/\(number).json") }
    private func folder(_ number: Int) -> String { "\(Self.folder)/\(number)" }
    private func folder(_ number: Int, _ podcast: PodcastID) -> String { "\(folder(number))/\(podcast.text)" }

    /// The numbers of all steps, oldest first.
    func numbers() throws -> [Int] {
        try disk.list(Self.folder).filter { $0.hasSuffix(".json") }.compactMap { Int($0.dropLast(5)) }.sorted()
    }

    /// - Throws: `LibraryFailure.damaged`.
    func step(_ number: Int) throws -> UndoStep {
        var record = UndoRecord()
        let document = document(number)
        guard try document.read(disk, atLeast: number, { try record.read($1, from: &$0) }) == number, let step = record.step
        else {
            throw Damage.short.failure(document.name)
        }
        return step
    }

    /// All steps, oldest first; nil in place of a damaged one, which stops no command.
    func all() throws -> [(number: Int, step: UndoStep?)] {
        try numbers().map { number in
            do {
                return (number, try step(number))
            } catch LibraryFailure.damaged {
                return (number, nil)
            }
        }
    }

    // MARK: Writing

    /// Requires a batch.
    func record(_ recording: UndoRecording) throws {
        let (step, number) = (recording.step, recording.number)
        if try !disk.exists(Self.folder) {
            try disk.makeFolder(Self.folder)
            try disk.syncFolder("")
        }
        // Files that a killed command left behind.
        try removeFolder(number)
        if !step.removed.isEmpty {
            try disk.makeFolder(folder(number))
            for podcast in step.removed { try keepFiles(of: podcast.id, number) }
            try disk.syncFolder(folder(number))
        }
        let document = document(number)
        let bytes = document.line(revision: number) { UndoRecord.write(step, to: &$0) }
        try disk.replace { try $0.write(document.name, bytes) }
    }

    /// Requires a batch.
    func remove(_ numbers: [Int]) throws {
        guard !numbers.isEmpty else { return }
        for number in numbers { try disk.remove(document(number).name) }
        try disk.syncFolder(Self.folder)
        for number in numbers { try removeFolder(number) }
    }

    private func removeFolder(_ number: Int) throws {
        guard try disk.exists(folder(number)) else { return }
        for podcast in try disk.list(folder(number)) {
            let inner = "\(folder(number))/\(podcast)"
            for name in try disk.list(inner) { try disk.remove("\(inner)/\(name)") }
            try disk.removeFolder(inner)
        }
        try disk.removeFolder(folder(number))
    }

    // MARK: A podcast's files

    /// Name of the episodes' file in the folder of a podcast. The other files there are those of its transcripts.
    private static let episodes = "episodes"

    private func keepFiles(of podcast: PodcastID, _ number: Int) throws {
        let folder = folder(number, podcast)
        try disk.makeFolder(folder)
        try episodes.link(podcast, to: "\(folder)/\(Self.episodes)")
        try transcripts.link(podcast, into: folder)
        try disk.syncFolder(folder)
    }

    /// Puts the files of a podcast back. The step keeps them as well until it is removed.
    func putBack(_ podcast: PodcastID, _ number: Int) throws {
        let folder = folder(number, podcast)
        let names = try disk.list(folder)
        guard !names.isEmpty else { return }
        let texts = names.filter { $0 != Self.episodes }
        if !texts.isEmpty { try transcripts.putBack(texts, of: podcast, from: folder) }
        if names.contains(Self.episodes) { try episodes.putBack(podcast, from: "\(folder)/\(Self.episodes)") }
    }
}

import Domain
import Glibc
import JSON
import Records

/// The episodes: one file a podcast, `podcasts/<id>.jsonl`; `kept/<id>.jsonl` after an unsubscription that keeps them.
struct EpisodeFiles {
    static let folder = "podcasts"
    static let keptFolder = "kept"
    static let backupFolder = "backup/podcasts"

    let disk: Disk

    /// The file of a podcast, wherever it is; nil if there is none.
    ///
    /// A file moves to `kept/` before the log says so, and back after it has said so. A reader that misses it in `kept/`,
    /// then in `podcasts/` and then in `kept/` again has missed a removal between its two moves, or there is no such file.
    ///
    /// - Parameters:
    ///   - revision: what the file must have reached.
    ///   - isAlone: true while nobody else can move files.
    func read(_ podcast: PodcastID, _ extent: Extent, atLeast revision: Int, isAlone: Bool) throws -> EpisodeFile? {
        let folders = [Self.folder, Self.keptFolder]
        for folder in isAlone ? folders : folders + folders {
            guard let name = EpisodeFile.name(podcast, in: folder), let bytes = try bytes(name, extent) else { continue }
            let file = try EpisodeFile(bytes, name: name, podcast: podcast, wholly: extent == .checked)
            if file.revision < revision { throw Damage.older.failure(name) }
            return file
        }
        return nil
    }

    /// How much of a file is read. In all cases each line is checked when it is made an episode.
    enum Extent: Equatable {
        /// All of it, and every line is checked.
        case checked
        case all
        /// The channel, and these episodes as far as it has them: what stands behind the last of them is not looked at.
        case only(Set<EpisodeID>)
    }

    private func bytes(_ name: String, _ extent: Extent) throws -> [UInt8]? {
        guard case .only(let wanted) = extent else { return try disk.read(name) }
        var missing = wanted
        let endings = Set(wanted.map { EpisodeRecord.ending(of: $0) })
        var bytes: [UInt8] = []
        var isWhole = true
        let exists = try disk.eachLine(name) { window, line in
            func isWanted() -> Bool {
                guard let ending = EpisodeRecord.ending(window, line), endings.contains(ending) else { return false }
                return EpisodeRecord.id(window, line).flatMap { missing.remove($0) } != nil
            }
            if bytes.isEmpty || isWanted() {
                isWhole = ChecksummedLine.verified(window, line) != nil
                bytes += window[line]
            }
            return isWhole && !missing.isEmpty
        }
        // Whoever reports damage names the line in the file.
        return isWhole ? exists ? bytes : nil : try disk.read(name)
    }

    /// Podcasts whose files are in `kept/`, in id order.
    func kept() throws -> [PodcastID] { try disk.list(Self.keptFolder).compactMap(EpisodeFile.podcast(ofName:)) }

    func exists(_ podcast: PodcastID, in folder: String) throws -> Bool {
        try EpisodeFile.name(podcast, in: folder).map { try disk.exists($0) } ?? false
    }

    // MARK: Writing

    /// - Parameter files: the file of each podcast as it is, nil if there is none.
    func write(_ changes: [PodcastChanges], over files: [EpisodeFile?]) throws {
        guard !changes.isEmpty else { return }
        try disk.replace(count: changes.count) { batch in
            var writer = EpisodeFileWriter()
            for (change, file) in zip(changes, files) {
                guard let name = EpisodeFile.name(change.podcastID, in: Self.folder) else {
                    throw LibraryFailure.io(file: change.podcastID.text, operation: "open", errno: EINVAL)
                }
                let backup = file == nil ? nil : EpisodeFile.name(change.podcastID, in: Self.backupFolder)
                change.write(over: file, with: &writer)
                try writer.finish { bytes in try batch.write(name, backup: backup) { write in try write(bytes) } }
            }
        }
    }

    /// Moves files to `kept/`. The new name is durable before the old one goes.
    func keep(_ ids: [PodcastID]) throws {
        for id in ids {
            guard let name = EpisodeFile.name(id, in: Self.folder), let kept = EpisodeFile.name(id, in: Self.keptFolder),
                try disk.exists(name)
            else { continue }
            try disk.link(name, to: kept)
        }
        try disk.syncFolder(Self.keptFolder)
        for id in ids {
            if let name = EpisodeFile.name(id, in: Self.folder) { try disk.remove(name) }
        }
        try disk.syncFolder(Self.folder)
    }

    func remove(_ ids: [PodcastID]) throws {
        for id in ids {
            // The file by which an interrupted removal is known goes last.
            for folder in [Self.keptFolder, Self.backupFolder, Self.folder] {
                if let name = EpisodeFile.name(id, in: folder) { try disk.remove(name) }
            }
        }
        try disk.syncFolder(Self.folder)
    }

    /// Moves a file back from `kept/`: its episodes are a subscription's again.
    func takeUpKept(_ id: PodcastID) throws {
        guard let kept = EpisodeFile.name(id, in: Self.keptFolder), try disk.exists(kept),
            let current = EpisodeFile.name(id, in: Self.folder)
        else { return }
        // If the feed brought nothing new, nothing was written.
        if try disk.exists(current) {
            try disk.remove(kept)
        } else {
            try disk.rename(kept, to: current)
            try disk.syncFolder(Self.folder)
        }
        try disk.syncFolder(Self.keptFolder)
    }
}

extension PodcastChanges {
    /// Makes the new file, but for its end: lines of episodes that did not change are the old file's bytes.
    func write(over file: EpisodeFile?, with writer: inout EpisodeFileWriter) {
        // Places of what is new, in `added` and behind it `replaced`: copying episodes costs more than writing them.
        let places = 0..<added.count + replaced.count
        func id(_ place: Int) -> EpisodeID { place < added.count ? added[place].id : replaced[place - added.count].id }
        var new = file == nil ? [:] : Dictionary(places.map { (id($0), $0) }, uniquingKeysWith: { $1 })
        let lines = file?.episodes ?? []
        let placesOfLines = lines.indices.map { index in file?.id(index).flatMap { new.removeValue(forKey: $0) } }
        let behind = file == nil ? Array(places) : places.filter { new.removeValue(forKey: id($0)) != nil }

        writer.begin(
            podcast: podcastID, revision: max(revision, (file?.revision ?? 0) + 1), count: lines.count + behind.count
        ) { json in
            if let channel {
                json.value(channel)
            } else if let file, let place = file.channelPlace {
                json.raw(file.bytes[place])
            } else {
                json.object { _ in }
            }
        }
        func add(_ place: Int) {
            if place < added.count { writer.add(added[place]) } else { writer.add(replaced[place - added.count]) }
        }
        for (line, place) in zip(lines, placesOfLines) {
            if let place { add(place) } else if let file { writer.copy(file.bytes, line) }
        }
        behind.forEach(add)
    }
}

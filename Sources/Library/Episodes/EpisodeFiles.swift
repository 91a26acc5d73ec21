import Domain
import Glibc
import JSON
import Memory
import Records

/// The episodes: one file per podcast, `podcasts/<id>.jsonl`, or `kept/<id>.jsonl` after an unsubscription that keeps
/// them.
struct EpisodeFiles {
    static let folder = "podcasts"
    static let keptFolder = "kept"
    static let backupFolder = "backup/podcasts"

    let disk: Disk
    /// nil without a cache.
    let places: EpisodePlaces?

    /// The file of a podcast, whichever folder it is in; nil if there is none.
    ///
    /// An unsubscription moves the file to `kept/` before it is logged, and a new subscription moves it back after it
    /// is logged. If a reader finds no file in `podcasts/`, `kept/`, `podcasts/` and `kept/` again, it has missed a
    /// removal between two moves, or there is no file.
    ///
    /// - Parameters:
    ///   - revision: the revision that the file must have reached.
    ///   - isAlone: true if nobody else can move files meanwhile.
    func read(_ podcast: PodcastID, _ extent: Extent, atLeast revision: Int, isAlone: Bool) throws -> EpisodeFile? {
        let folders = [Self.folder, Self.keptFolder]
        for folder in isAlone ? folders : folders + folders {
            guard let name = EpisodeFile.name(podcast, in: folder) else { continue }
            var extent = extent
            if extent == .lines {
                extent = try disk.status(name)?.size ?? 0 >= FreedMemory.worthwhile ? .only([]) : .checked
            }
            guard let bytes = try bytes(name, podcast, extent) else { continue }
            let file = try EpisodeFile(bytes, name: name, podcast: podcast, wholly: extent == .checked)
            if file.revision < revision { throw Damage.older.failure(name) }
            return file
        }
        return nil
    }

    /// How much of a file is read. Each line's checksum is verified when its episode is decoded, in all cases.
    enum Extent: Equatable {
        /// All of it, and the checksum of every line is verified.
        case checked
        /// The same, but of a large file only the header: its lines are read and checked by `eachLine`.
        case lines
        case all
        /// The channel, and those of these episodes that the file has. Reading ends at the last of them.
        case only(Set<EpisodeID>)
    }

    /// Passes on the lines of the episodes in a file that was read with the extent `lines`.
    func eachLine(of file: EpisodeFile, _ body: ([UInt8], Range<Int>) throws -> Void) throws {
        guard file.isHeaderOnly else { return try file.episodes.forEach { try body(file.bytes, $0) } }
        var number = 0
        var hasher = XXH64()
        _ = try disk.eachLine(file.name) { bytes, line, _ in
            number += 1
            if number == 1 { return .next }
            guard let sum = ChecksummedLine.verified(bytes, line) else { throw Damage.sum.failure(file.name, line: number) }
            hasher.update(sum)
            try body(bytes, line)
            return .next
        }
        guard number - 1 == file.promise.count, hasher.finish() == file.promise.sum else {
            throw Damage.lines.failure(file.name)
        }
    }

    /// What a comparison needs of a file that was read with the extent `lines`.
    func stored(_ file: EpisodeFile, knowing items: KnownItems) throws -> StoredPodcast {
        var episodes: [StoredEpisode] = []
        episodes.reserveCapacity(file.promise.count)
        var number = 1
        try eachLine(of: file) { bytes, line in
            number += 1
            if let episode = try file.head(bytes, line, number: number, knowing: items).stored { episodes.append(episode) }
        }
        return StoredPodcast(channel: try file.channel(), episodes: episodes, revision: file.revision)
    }

    private func bytes(_ name: String, _ podcast: PodcastID, _ extent: Extent) throws -> [UInt8]? {
        guard case .only(let ids) = extent else { return try disk.read(name) }
        var wanted = WantedEpisodes(ids, of: podcast, places)
        guard try disk.eachLine(name, { wanted.take($0, $1, fileSize: $2) }) else { return nil }
        // The whole file is needed to report the number of the damaged line.
        if wanted.isDamaged { return try disk.read(name) }
        wanted.savePlaces()
        return wanted.bytes
    }

    /// Podcasts whose files are in `kept/`, in id order.
    func unsubscribed() throws -> [PodcastID] { try disk.list(Self.keptFolder).compactMap(EpisodeFile.podcast(ofName:)) }

    func exists(_ podcast: PodcastID, in folder: String) throws -> Bool {
        try EpisodeFile.name(podcast, in: folder).map { try disk.exists($0) } ?? false
    }

    // MARK: Writing

    /// - Parameter current: reads the current file of a podcast; nil if there is none. One is in memory at a time.
    func write(
        _ changes: [PodcastChanges], with writer: inout EpisodeFileWriter, over current: (PodcastID) throws -> EpisodeFile?
    ) throws {
        guard !changes.isEmpty else { return }
        try disk.replace(count: changes.count) { batch in
            for change in changes {
                let file = try current(change.podcastID)
                // What was parsed and compared has left gaps that neither the old file nor the new one fits into.
                if file?.isHeaderOnly ?? false { FreedMemory.giveBack() }
                guard let name = EpisodeFile.name(change.podcastID, in: Self.folder) else {
                    throw LibraryFailure.io(file: change.podcastID.text, operation: "open", errno: EINVAL)
                }
                let backup = file == nil ? nil : EpisodeFile.name(change.podcastID, in: Self.backupFolder)
                var end = EpisodeFileWriter.End()
                try batch.write(name, backup: backup, head: { end.head }) { write in
                    try change.write(over: file, of: self, with: &writer, to: write)
                    end = try writer.finish(write)
                }
                places?.save(end.places, of: change.podcastID)
            }
        }
    }

    /// Moves files to `kept/`. The new name is durable before the old one is removed.
    ///
    /// - Returns: the podcasts that have a file there: one that was never fetched has none.
    func keep(_ ids: [PodcastID]) throws -> [PodcastID] {
        for id in ids {
            guard let name = EpisodeFile.name(id, in: Self.folder), let keptName = EpisodeFile.name(id, in: Self.keptFolder),
                try disk.exists(name)
            else { continue }
            try disk.link(name, to: keptName)
        }
        try disk.syncFolder(Self.keptFolder)
        for id in ids {
            if let name = EpisodeFile.name(id, in: Self.folder) { try disk.remove(name) }
        }
        try disk.syncFolder(Self.folder)
        return try ids.filter { try exists($0, in: Self.keptFolder) }
    }

    func remove(_ ids: [PodcastID]) throws {
        for id in ids {
            places?.remove(id)
            // The file in `podcasts/` goes last: an interrupted removal is recognized by it.
            for folder in [Self.keptFolder, Self.backupFolder, Self.folder] {
                if let name = EpisodeFile.name(id, in: folder) { try disk.remove(name) }
            }
        }
        try disk.syncFolder(Self.folder)
    }

    /// Moves a file back from `kept/`, for a new subscription.
    func restore(_ id: PodcastID) throws {
        guard let keptName = EpisodeFile.name(id, in: Self.keptFolder), try disk.exists(keptName),
            let current = EpisodeFile.name(id, in: Self.folder)
        else { return }
        // A fetch wrote the current file, unless the feed had nothing new.
        if try disk.exists(current) {
            try disk.remove(keptName)
        } else {
            try disk.rename(keptName, to: current)
            try disk.syncFolder(Self.folder)
        }
        try disk.syncFolder(Self.keptFolder)
    }
}

extension EpisodeFiles {
    /// Gives the file of a subscribed podcast a second name, if there is one.
    func link(_ podcast: PodcastID, to name: String) throws {
        guard let current = EpisodeFile.name(podcast, in: Self.folder), try disk.exists(current) else { return }
        _ = try disk.link(current, to: name)
    }

    /// Makes the file of this name that of a podcast.
    func putBack(_ podcast: PodcastID, from name: String) throws {
        guard let current = EpisodeFile.name(podcast, in: Self.folder) else { return }
        _ = try disk.link(name, to: current)
        try disk.syncFolder(Self.folder)
    }
}

extension PodcastChanges {
    /// Writes the new file up to its end. The lines of unchanged episodes are copied from the old file.
    ///
    /// - Parameter write: gets what is complete of a large file.
    func write(
        over file: EpisodeFile?, of files: EpisodeFiles, with writer: inout EpisodeFileWriter,
        to write: (RawSpan) throws -> Void
    ) throws {
        // Episodes are referred to by their index in `added + replaced`: copying them costs more than writing them.
        let indices = 0..<added.count + replaced.count
        func id(_ index: Int) -> EpisodeID { index < added.count ? added[index].id : replaced[index - added.count].id }
        var new = file == nil ? [:] : Dictionary(indices.map { (id($0), $0) }, uniquingKeysWith: { $1 })
        var indicesOfLines: [Int?] = []
        if let file {
            try files.eachLine(of: file) { bytes, line in
                indicesOfLines.append(EpisodeRecord.id(bytes, line).flatMap { new.removeValue(forKey: $0) })
            }
        }
        let appended = file == nil ? Array(indices) : indices.filter { new.removeValue(forKey: id($0)) != nil }

        writer.begin(
            podcast: podcastID, revision: max(revision, (file?.revision ?? 0) + 1), count: indicesOfLines.count + appended.count
        ) { json in
            if let channel {
                json.value(channel)
            } else if let file, let range = file.channelRange {
                json.raw(file.bytes[range])
            } else {
                json.object { _ in }
            }
        }
        func add(_ index: Int) {
            if index < added.count { writer.add(added[index]) } else { writer.add(replaced[index - added.count]) }
        }
        if let file {
            var replacements = indicesOfLines.makeIterator()
            try files.eachLine(of: file) { bytes, line in
                if case let index?? = replacements.next() { add(index) } else { writer.copy(bytes, line) }
                try writer.passOn(write)
            }
        }
        for index in appended {
            add(index)
            try writer.passOn(write)
        }
    }
}

import Domain

/// The findings about the transcripts on disk, and the intact ones among the damaged.
struct TranscriptInspection {
    private(set) var damage: [(failure: LibraryFailure, podcast: PodcastID)] = []
    /// Podcasts whose transcripts need repair.
    private(set) var damaged: [PodcastID: Remains] = [:]

    /// A list that refers only to intact files, and the names of the damaged files.
    struct Remains {
        var list: TranscriptList
        var files: [String] = []
    }

    init(_ disk: Disk, _ podcasts: [Podcast]) throws {
        let records = Dictionary(podcasts.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let folders = try disk.list(TranscriptFiles.folder).map { PodcastID(text: $0) }
        let listed = podcasts.filter { $0.transcripts.written > 0 }.map(\.id)
        for id in Set(folders).union(listed).sorted() {
            guard let folder = TranscriptFile.folder(of: id), let name = TranscriptList.name(id) else { continue }
            try inspect(id, folder, listName: name, written: records[id]?.transcripts.written ?? 0, disk)
        }
    }

    private mutating func inspect(_ id: PodcastID, _ folder: String, listName: String, written: Int, _ disk: Disk) throws {
        var failures: [LibraryFailure] = []
        var list: TranscriptList?
        do {
            if let bytes = try disk.read(listName) {
                let stored = try TranscriptList(bytes, name: listName, of: id)
                if stored.revision < written { throw Damage.older.failure(listName) }
                list = stored
            } else if written > 0 {
                throw Damage.missing.failure(listName)
            }
        } catch let failure as LibraryFailure where failure.isDamage {
            failures.append(failure)
        }
        // Without a list, the entries are made from the files.
        var remains = Remains(list: list ?? TranscriptList(of: id))
        for name in try disk.list(folder) {
            guard let (episode, text) = TranscriptFile.episode(ofName: name) else { continue }
            do {
                guard let bytes = try disk.read("\(folder)/\(name)") else { continue }
                let file = try TranscriptFile(bytes, name: "\(folder)/\(name)", episode: episode, text)
                if file.source.revision < list?[episode, text]?.stored?.revision ?? 0 { throw Damage.older.failure(file.name) }
                if list == nil { remains.list[episode, text] = TranscriptEntry(of: file) }
            } catch let failure as LibraryFailure where failure.isDamage {
                failures.append(failure)
                remains.files.append("\(folder)/\(name)")
                remains.list[episode, text] = nil
            }
        }
        for (text, entry) in list?.all ?? [] where entry.stored != nil {
            guard let name = TranscriptFile.name(entry.episodeID, text), try !disk.exists(name) else { continue }
            failures.append(Damage.missing.failure(name))
            remains.list[entry.episodeID, text] = nil
        }
        guard !failures.isEmpty else { return }
        damage += failures.map { ($0, id) }
        damaged[id] = remains
    }
}

extension TranscriptEntry {
    /// The entry for a file whose list is lost. It is fetched again, with its validators.
    fileprivate init(of file: TranscriptFile) {
        self.init(episodeID: file.episode, offer: 0, episodeChangedAt: file.source.at, askedAt: file.source.at)
        stored = file.source
    }
}

extension LibraryFailure {
    fileprivate var isDamage: Bool {
        if case .damaged = self { true } else { false }
    }
}

import Domain

/// The name of one episode's file. Its extension is a guess until the first bytes of the file are there.
struct DownloadName: Sendable {
    let folder: String
    let template: MediaName
    let listed: ListedEpisode
    /// The guess.
    let ext: String
    /// The folder that has files of the podcast; nil if none has.
    let podcastFolder: String?
    /// True if the name carries the episode's id, because another file has the plain one.
    var isMarked = false

    /// - Parameter ext: nil for the guess.
    func path(ext: String? = nil, marked: Bool? = nil) -> String {
        let mark = marked ?? isMarked ? listed.episode.id.text : nil
        return "\(folder)/" + template.path(of: listed, ext: ext ?? self.ext, mark: mark, podcastFolder: podcastFolder)
    }

    /// The path with the extension that the file turned out to need.
    func path(ext: String, besides files: any MediaFiles) throws -> String {
        if ext == self.ext { return path() }
        let wanted = path(ext: ext)
        let name = DownloadNames.lastPart(wanted)
        let isTaken = try files.names(beside: wanted).contains { [name, name + ".part"].contains(DownloadNames.folded($0)) }
        return isTaken ? path(ext: ext, marked: true) : wanted
    }
}

/// Names for the files of one run. A name is never used twice, by this run, an earlier one or an unrelated file.
struct DownloadNames {
    private var taken: Set<String>
    /// The folders of podcasts that have files, which stay where they are if a podcast is renamed.
    private var folders: [PodcastID: String] = [:]
    private let options: DownloadEpisodes.Options
    private let files: any MediaFiles

    /// - Parameter paths: of the files that are stored, with their podcasts.
    init(_ paths: [(podcast: PodcastID, path: String)], _ options: DownloadEpisodes.Options, _ files: any MediaFiles) {
        taken = Set(paths.map { Self.folded($0.path) })
        (self.options, self.files) = (options, files)
        for (podcast, path) in paths.sorted(by: { $0.path < $1.path }) where path.hasPrefix(options.folder + "/") {
            folders[podcast] = folders[podcast] ?? options.name.podcastFolder(in: path.dropFirst(options.folder.count + 1))
        }
    }

    /// Names that differ only in case or Unicode normalization count as equal; Swift compares strings by canonical
    /// equivalence.
    static func folded(_ path: String) -> String { path.lowercased() }

    static func lastPart(_ path: String) -> String { path.split(separator: "/").last.map { folded(String($0)) } ?? "" }

    private func guess(_ listed: ListedEpisode, _ enclosure: Enclosure) -> DownloadName {
        let ext = MediaType.fileExtension(type: enclosure.type, url: enclosure.url ?? "")
        return DownloadName(
            folder: options.folder, template: options.name, listed: listed, ext: ext, podcastFolder: folders[listed.podcast.id])
    }

    /// - Parameter earlier: the file's former path.
    mutating func name(for listed: ListedEpisode, _ enclosure: Enclosure, _ earlier: String?) throws -> DownloadName {
        var name = guess(listed, enclosure)
        if let earlier { taken.remove(Self.folded(earlier)) }
        let plain = name.path()
        let last = Self.lastPart(plain)
        name.isMarked = try taken.contains(Self.folded(plain)) || files.names(beside: plain).contains { Self.folded($0) == last }
        taken.insert(Self.folded(name.path()))
        return name
    }

    /// The file that an earlier run finished but did not record.
    func unreported(_ listed: ListedEpisode, _ enclosure: Enclosure) throws -> DownloadedFile? {
        try first(of: listed, enclosure) { try files.unreported($0, of: listed.episode.id) }
    }

    /// The file that was downloaded before the folder of downloads moved, at its place in the folder of today.
    func moved(_ file: DownloadedFile, _ listed: ListedEpisode, _ enclosure: Enclosure) throws -> DownloadedFile? {
        try first(of: listed, enclosure) { path in
            try files.file(at: path).flatMap { $0.bytes == file.bytes ? $0 : nil }
        }
    }

    /// A file that no episode has, under the episode's own name.
    func existing(_ listed: ListedEpisode, _ enclosure: Enclosure) throws -> DownloadedFile? {
        try first(of: listed, enclosure) { try files.unclaimed($0) }
    }

    private func first(
        of listed: ListedEpisode, _ enclosure: Enclosure, _ look: (String) throws -> DownloadedFile?
    ) rethrows -> DownloadedFile? {
        let name = guess(listed, enclosure)
        for ext in [name.ext] + MediaSignature.extensions {
            for path in [name.path(ext: ext, marked: false), name.path(ext: ext, marked: true)]
            where !taken.contains(Self.folded(path)) {
                if let file = try look(path) { return file }
            }
        }
        return nil
    }
}

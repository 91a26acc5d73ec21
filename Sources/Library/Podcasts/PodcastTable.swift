import Domain
import JSON

/// All podcasts in memory, as the log says, and how a change gets into the log.
struct PodcastTable: Sendable {
    private(set) var log = RecordLog(name: PodcastStore.logName)
    private(set) var mirror = RecordLog(name: PodcastStore.mirrorName)
    private(set) var secretsRevision = 0
    private var secrets: [PodcastID: Credentials] = [:]
    /// nil where the podcast was removed.
    private var podcasts: [Podcast?] = []
    private var places: [PodcastID: Int] = [:]

    init() {}

    /// - Throws: the first damage that is found.
    init(_ disk: Disk, _ anchors: LibraryMarker.Anchors) throws {
        var lines = LogLines()
        try log.load(disk, from: anchors.logs[log.name]) { try lines.read($0, $1) } damaged: { throw $0 }
        secretsRevision = try PodcastStore.secrets.read(disk, atLeast: anchors.revisions[PodcastStore.secrets.name]) {
            try secrets.read($1, from: &$0)
        }
        try mirror.load(disk, from: anchors.logs[mirror.name]) { _, _ in } damaged: { _ in }
        for podcast in lines.podcasts() {
            var podcast = podcast
            if lines.hasSecret.contains(podcast.id) {
                guard let secret = secrets[podcast.id] else { throw Damage.missing.failure(PodcastStore.secrets.name) }
                podcast.credentials = secret
            }
            set(podcast)
        }
    }

    subscript(id: PodcastID) -> Podcast? { places[id].flatMap { podcasts[$0] } }

    func sorted() -> [Podcast] { podcasts.compactMap { $0 }.sorted { $0.id < $1.id } }

    private mutating func set(_ podcast: Podcast) {
        if let place = places[podcast.id] {
            podcasts[place] = podcast
        } else {
            places[podcast.id] = podcasts.count
            podcasts.append(podcast)
        }
    }

    // MARK: Changes

    mutating func save(_ changed: [Podcast], _ disk: Disk) throws {
        let before = changed.map { self[$0.id] }
        // The mirror may know more than the log, never less.
        let mirrored = zip(changed, before).filter { PodcastRecord.subscriptionDiffers($0, since: $1) }
        try extend(\.mirror, disk, saving: mirrored.map(\.0)) { lines in
            for (podcast, earlier) in mirrored {
                lines.add { json in
                    json.text("podcast", podcast.id.text)
                    PodcastRecord.writeSubscription(podcast, since: earlier, to: &json)
                }
            }
        } whole: {
            PodcastRecord.writeSubscription($0, since: nil, to: &$1)
        }
        try extend(\.log, disk, saving: changed) { lines in
            for (podcast, earlier) in zip(changed, before) where podcast != earlier {
                lines.add { json in
                    json.text("podcast", podcast.id.text)
                    PodcastRecord.write(podcast, since: earlier, to: &json)
                }
            }
        } whole: {
            PodcastRecord.write($0, since: nil, to: &$1)
        }
        for podcast in changed { set(podcast) }
    }

    mutating func remove(_ ids: [PodcastID], _ disk: Disk) throws {
        let ids = ids.filter { self[$0] != nil }
        guard !ids.isEmpty else { return }
        func add(_ lines: inout RecordLog.Lines) {
            for id in ids {
                lines.add {
                    $0.text("podcast", id.text)
                    $0.flag("removed", true)
                }
            }
        }
        try log.append(disk, add)
        for id in ids {
            if let place = places.removeValue(forKey: id) { podcasts[place] = nil }
        }
        try mirror.append(disk, add)
    }

    /// Appends to a log, or writes it anew where it does not exist yet or has become mostly outdated.
    private mutating func extend(
        _ path: WritableKeyPath<PodcastTable, RecordLog>, _ disk: Disk, saving changed: [Podcast],
        lines: (inout RecordLog.Lines) -> Void, whole: (Podcast, inout JSONWriter) -> Void
    ) throws {
        guard self[keyPath: path].anchor.generation == 0 || self[keyPath: path].isMostlyOutdated else {
            return try self[keyPath: path].append(disk, lines)
        }
        let replaced = Set(changed.map(\.id))
        let all = podcasts.compactMap { $0 }.filter { !replaced.contains($0.id) } + changed
        var log = self[keyPath: path]
        try disk.replace { publication in
            try log.rewrite(&publication) { lines in
                for podcast in all.sorted(by: { $0.id < $1.id }) {
                    lines.add { json in
                        json.text("podcast", podcast.id.text)
                        whole(podcast, &json)
                    }
                }
            }
        }
        self[keyPath: path] = log
    }

    /// Writes `secrets.json` where credentials were added, changed or are no longer needed.
    mutating func writeSecrets(_ disk: Disk, adding changed: [Podcast]) throws {
        var needed = secrets.filter { self[$0.key] != nil }
        for podcast in changed { needed[podcast.id] = podcast.credentials }
        guard needed != secrets else { return }
        try disk.replace(count: 2) { publication in
            try PodcastStore.secrets.write(to: &publication, revision: secretsRevision + 1) { needed.write(to: &$0) }
        }
        secretsRevision += 1
        secrets = needed
    }
}

/// What the lines of a log say, taken together.
struct LogLines {
    private var found: [Podcast?] = []
    private var places: [PodcastID: Int] = [:]
    private(set) var hasSecret: Set<PodcastID> = []

    func podcasts() -> [Podcast] { found.compactMap { $0 } }

    mutating func read(_ bytes: [UInt8], _ line: Range<Int>) throws {
        var place: Int?
        try SummedLine.read(bytes, line) { json, key in
            guard let known = place else {
                guard key == "podcast" else { throw json.error(.unexpected) }
                place = self.place(of: PodcastID(text: try json.string()))
                return
            }
            switch key {
            case "removed":
                _ = try json.bool()
                if let podcast = found[known] { remove(podcast.id) }
            case "hasSecret":
                let has = try !json.null() && json.bool()
                if let podcast = found[known] {
                    if has { hasSecret.insert(podcast.id) } else { hasSecret.remove(podcast.id) }
                }
            default: try found[known]?.read(key, from: &json)
            }
        }
    }

    private mutating func place(of id: PodcastID) -> Int {
        if let place = places[id] { return place }
        places[id] = found.count
        found.append(Podcast(id: id, feedURL: "", subscribedAt: Timestamp(seconds: 0)))
        return found.count - 1
    }

    private mutating func remove(_ id: PodcastID) {
        if let place = places.removeValue(forKey: id) { found[place] = nil }
        hasSecret.remove(id)
    }
}

extension [PodcastID: Credentials] {
    func write(to json: inout JSONWriter) {
        json.object("credentials") { json in
            for (id, credentials) in sorted(by: { $0.key < $1.key }) {
                json.key(id.text)
                json.object {
                    $0.text("user", credentials.user)
                    $0.text("password", credentials.password)
                }
            }
        }
    }

    mutating func read(_ key: String, from json: inout JSONReader) throws {
        guard key == "credentials" else {
            try json.skip()
            return
        }
        try json.object { json, id in
            var credentials = Credentials(user: "", password: "")
            try json.object { json, key in
                switch key {
                case "user": credentials.user = try json.string()
                case "password": credentials.password = try json.string()
                default: try json.skip()
                }
            }
            self[PodcastID(text: id)] = credentials
        }
    }
}

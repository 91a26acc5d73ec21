import Domain
import Records

/// The owner's tags and the state of downloads in memory, as read from `tags.jsonl`, and the way changes get into that
/// log.
///
/// The log has lines for episodes; the last line of an episode wins. If a change takes several lines, all but its last
/// contain `more`, and the change counts only if its last line is present. Nobody could restore tags, so every line is
/// appended to a second log first, `backup/tags.jsonl`.
struct TagTable: Sendable {
    static let logName = "tags.jsonl"
    static let mirrorName = "backup/tags.jsonl"

    private(set) var tags: [EpisodeID: Set<Tag>] = [:]
    private(set) var waiting: [TagLine] = []
    /// Episodes that wait for an `--on-new` command.
    private(set) var pending: Set<EpisodeID> = []
    private(set) var downloads: [EpisodeID: DownloadEntry] = [:]
    private(set) var log = RecordLog(name: logName)
    /// Loaded only before it is written, and by verify.
    private var mirror: RecordLog?
    private let mirrorAnchor: LogAnchor?
    /// The status of the log file when it was last read or written.
    var status: Disk.Status?

    /// The logs that are loaded, for the marker.
    var logs: [RecordLog] { [log, mirror].compactMap { $0 } }

    /// - Parameter damaged: called for each damage; reading ends if it throws.
    init(_ disk: Disk, _ anchors: LibraryMarker.Anchors, damaged: (LibraryFailure) throws -> Void = { throw $0 }) throws {
        mirrorAnchor = anchors.logs[Self.mirrorName]
        var lines = TagLogLines()
        try lines.load(&log, disk, anchors.logs[log.name], damaged: damaged)
        take(lines)
    }

    private mutating func take(_ lines: TagLogLines) {
        (tags, waiting, pending, downloads) = (lines.tags, lines.waitingLines, lines.pending, lines.downloads)
    }

    // MARK: Changes

    /// Writes the changes that make a difference.
    ///
    /// - Parameter entries: downloads, which take effect together with the tags.
    mutating func apply(_ changes: TagChanges, _ entries: [DownloadEntry] = [], _ disk: Disk) throws {
        var next = self
        for entry in entries { next.downloads[entry.episodeID] = entry == DownloadEntry(entry.episodeID) ? nil : entry }
        for (id, tags) in changes.tags { next.tags[id] = tags.isEmpty ? nil : tags }
        next.pending.formUnion(changes.pending)
        next.pending.subtract(changes.taken)
        let named = Set(changes.tags.keys).union(changes.pending).union(changes.taken).union(entries.map(\.episodeID))
        let changed = named.filter { id in
            tags[id] != next.tags[id] || pending.contains(id) != next.pending.contains(id) || downloads[id] != next.downloads[id]
        }
        let before = TagLogLines.Waiting(waiting)
        var nextWaiting = before
        nextWaiting.remove(changes.settled)
        nextWaiting.add(changes.waiting)
        let settled = changes.settled.filter { before[$0] != nil && nextWaiting[$0] == nil }
        let added = changes.waiting.filter { before[$0] != $0 }
        guard !changed.isEmpty || !settled.isEmpty || !added.isEmpty else { return }

        next.waiting = nextWaiting.lines
        let after = next
        func lines(_ lines: inout RecordLog.Lines) {
            var remaining = changed.count + settled.count + added.count
            func hasMore() -> Bool {
                remaining -= 1
                return remaining > 0
            }
            for id in changed.sorted() { after.add(id, hasMore: hasMore(), to: &lines) }
            for line in settled { Self.add(line, isSettled: true, hasMore: hasMore(), to: &lines) }
            for line in added { Self.add(line, hasMore: hasMore(), to: &lines) }
        }
        var mirror = try loadedMirror(disk)
        try mirror.extend(disk, lines: lines, whole: after.write)
        var log = self.log
        try log.extend(disk, lines: lines, whole: after.write)
        self = after
        (self.log, self.mirror) = (log, mirror)
    }

    /// Writes both logs again, without their outdated lines.
    mutating func rewrite(to batch: inout AtomicBatch) throws {
        var (log, mirror) = (self.log, self.mirror ?? RecordLog(name: Self.mirrorName))
        try mirror.rewrite(&batch, write)
        try log.rewrite(&batch, write)
        (self.log, self.mirror) = (log, mirror)
    }

    private mutating func loadedMirror(_ disk: Disk) throws -> RecordLog {
        if mirror == nil { try loadMirror(disk) { _ in } }
        return mirror ?? RecordLog(name: Self.mirrorName)
    }

    /// Reads the mirror and returns its contents.
    @discardableResult
    mutating func loadMirror(_ disk: Disk, damaged: (LibraryFailure) throws -> Void) throws -> TagLogLines {
        var lines = TagLogLines()
        var mirror = RecordLog(name: Self.mirrorName)
        try lines.load(&mirror, disk, mirrorAnchor, damaged: damaged)
        self.mirror = mirror
        return lines
    }

    private func write(to lines: inout RecordLog.Lines) {
        for id in Set(tags.keys).union(pending).union(downloads.keys).sorted() { add(id, to: &lines) }
        for line in waiting { Self.add(line, to: &lines) }
    }

    private func add(_ id: EpisodeID, hasMore: Bool = false, to lines: inout RecordLog.Lines) {
        var line = TagLogLine(episode: id, hasMore: hasMore)
        line.tags = (tags[id] ?? []).sorted().map(\.text)
        (line.isPending, line.download) = (pending.contains(id), downloads[id])
        lines.add { line.write(to: &$0) }
    }

    private static func add(
        _ waiting: TagLine, isSettled: Bool = false, hasMore: Bool = false, to lines: inout RecordLog.Lines
    ) {
        var line = TagLogLine(feedURL: waiting.feedURL, key: waiting.key, isSettled: isSettled, hasMore: hasMore)
        if !isSettled { (line.tags, line.facts) = (waiting.tags.sorted().map(\.text), waiting.facts.words) }
        lines.add { line.write(to: &$0) }
    }

    // MARK: Repair

    /// Takes over the contents of the logs: those of an intact one, or the valid lines of two damaged ones, with those
    /// of the log preferred to those of its mirror.
    ///
    /// - Returns: false if tags may be lost.
    mutating func restore(_ disk: Disk, _ anchors: LibraryMarker.Anchors) throws -> Bool {
        var isMirrorDamaged = false
        var lines = try loadMirror(disk) { _ in isMirrorDamaged = true }
        guard isMirrorDamaged else {
            take(lines)
            return true
        }
        var isLogDamaged = false
        var log = RecordLog(name: Self.logName)
        try lines.load(&log, disk, anchors.logs[log.name]) { _ in isLogDamaged = true }
        take(lines)
        return !isLogDamaged
    }
}

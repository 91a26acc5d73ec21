import FileSystem

/// Replaces files so that each has either its old or its new content at every instant, and all are durable together.
///
/// 1. `write` creates each new file in the staging folder.
/// 2. `publish` syncs them, each by itself or, if there are many, all with one call,
/// 3. renames each to its final name, linking the earlier file to a backup name if one was given,
/// 4. and syncs each folder before it goes on to the next: a second copy that was written first is durable first.
/// Folders of backups come last, since nothing depends on them.
///
/// The page cache then forgets the earlier versions, which nobody reads, if there are many.
struct AtomicBatch {
    private let disk: Disk
    private let isSmall: Bool
    private var files: [(staged: String, name: String, backup: String?)] = []

    /// - Parameter count: approximate number of files that will be written.
    init(_ disk: Disk, count: Int) {
        self.disk = disk
        isSmall = count <= 4
    }

    /// - Parameter backup: a name under which the earlier file remains.
    mutating func write(_ name: String, _ bytes: [UInt8], backup: String? = nil) throws {
        try write(name, backup: backup) { write in try write(bytes.span.bytes) }
    }

    /// - Parameters:
    ///   - head: the file's first bytes, which replace those written; called after `body`.
    ///   - body: passes on the file's pieces in order.
    mutating func write(
        _ name: String, backup: String? = nil, head: () -> [UInt8] = { [] },
        _ body: ((RawSpan) throws -> Void) throws -> Void
    ) throws {
        let staged = "\(Disk.staging)/\(files.count)"
        files.append((staged, name, backup))
        try disk.create(staged, sync: isSmall, head: head, body)
    }

    func publish() throws {
        guard !files.isEmpty else { return }
        if !isSmall { try disk.syncAll() }
        var backups: Set<String> = []
        for (index, file) in files.enumerated() {
            if let backup = file.backup, try disk.link(file.name, to: backup) { backups.insert(backup.containingFolder ?? "") }
            try disk.rename(file.staged, to: file.name)
            let folder = file.name.containingFolder
            let isLast = index + 1 == files.count || files[index + 1].name.containingFolder != folder
            if isLast { try disk.syncFolder(folder ?? "") }
        }
        for folder in backups { try disk.syncFolder(folder) }
        if !isSmall { for backup in files.compactMap(\.backup) { disk.forget(backup) } }
    }

    /// Removes unpublished files after a failure. The next writer removes any that remain.
    func discard() {
        for file in files { try? disk.remove(file.staged) }
    }
}

extension Disk {
    /// Writes files with `body` and publishes them together.
    func replace(count: Int = 1, _ body: (inout AtomicBatch) throws -> Void) throws {
        var batch = AtomicBatch(self, count: count)
        do {
            try body(&batch)
            try batch.publish()
        } catch {
            batch.discard()
            throw error
        }
    }
}

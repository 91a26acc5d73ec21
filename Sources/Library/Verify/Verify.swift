public import Domain
import Threads

extension Library {
    /// Reads and checks everything, and changes nothing, so that a read-only library can be checked too. Keeps writers
    /// out meanwhile.
    ///
    /// - Throws: `LibraryFailure`: `.locked`, `.newerVersion`, `.io`.
    public static func verify(_ path: String, waitSeconds: Double) async throws -> [LibraryDamage] {
        try await verify(Disk(root: path, calls: SystemCalls()), waitSeconds: waitSeconds)
    }

    /// Restores what `verify` finds damaged: from intact lines, from backups, and by scheduling a new fetch. Afterwards
    /// the index must be reconciled.
    public static func repair(_ path: String, waitSeconds: Double) async throws -> RepairReport {
        try await repair(Disk(root: path, calls: SystemCalls()), waitSeconds: waitSeconds)
    }

    /// Holds the write lock only while files are repaired.
    private static func repairFiles(_ disk: Disk, _ waitSeconds: Double) async throws -> (RepairReport, ConflictCopies) {
        let lock = try await FolderLock.take(FolderLock.write, in: disk, waitSeconds: waitSeconds)
        return try await Verifier(disk, lock).repair()
    }

    static func verify(_ disk: Disk, waitSeconds: Double) async throws -> [LibraryDamage] {
        guard try disk.exists("") else { return [] }
        let lock = try await FolderLock.keepOut(of: disk, waitSeconds: waitSeconds)
        return try await Verifier(disk, lock).verify()
    }

    static func repair(_ disk: Disk, waitSeconds: Double) async throws -> RepairReport {
        guard try disk.exists("") else { return RepairReport() }
        // A refresh would continue with what it read before.
        let refreshLock = try await FolderLock.take(FolderLock.refresh, in: disk, waitSeconds: waitSeconds)
        var (report, copies) = try await repairFiles(disk, waitSeconds)
        if !copies.names.isEmpty {
            // The verifier held the lock that each of these changes takes.
            let library = try await open(disk, .write(waitSeconds: waitSeconds))
            report.setAside += try await library.merge(copies)
        }
        return withExtendedLifetime(refreshLock) { report }
    }
}

/// Holds the lock, and reads and writes on a thread of its own.
private actor Verifier {
    private let disk: Disk
    private let thread: BlockingThread
    private let lock: FolderLock?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ disk: Disk, _ lock: FolderLock?) throws {
        self.disk = disk
        self.lock = lock
        thread = try BlockingThread(for: .storing)
    }

    func verify() throws -> [LibraryDamage] {
        let inspection = try Inspection(disk)
        let damage = inspection.damage + inspection.leftovers + inspection.conflicts
        guard lock == nil, !damage.isEmpty else { return damage }
        // A writer that cannot be kept out may leave files that do not match at the moment. Real damage is there the
        // second time as well.
        let again = try Inspection(disk)
        return (again.damage + again.leftovers + again.conflicts).filter(damage.contains)
    }

    func repair() throws -> (RepairReport, ConflictCopies) {
        let inspection = try Inspection(disk)
        let copies = try ConflictCopies(disk, inspection.conflicts.map(\.file))
        var repair = Repair(disk, inspection, copies)
        return (try repair.run(), copies)
    }
}

public import Domain
import Threads

extension Library {
    /// Reads and checks everything, and changes nothing: a library that may only be read can be checked. Keeps writers
    /// out meanwhile.
    ///
    /// - Throws: `LibraryFailure`: `.locked`, `.newerVersion`, `.io`.
    public static func verify(_ path: String, waitSeconds: Double) async throws -> [LibraryDamage] {
        try await verify(Disk(root: path, calls: SystemCalls()), waitSeconds: waitSeconds)
    }

    /// Restores what `verify` finds damaged: from the lines that are whole, from backups, and by having it fetched
    /// again. Afterwards the index must be brought in line.
    public static func repair(_ path: String, waitSeconds: Double) async throws -> RepairReport {
        try await repair(Disk(root: path, calls: SystemCalls()), waitSeconds: waitSeconds)
    }

    static func verify(_ disk: Disk, waitSeconds: Double) async throws -> [LibraryDamage] {
        guard try disk.exists("") else { return [] }
        let lock = try await FolderLock.keepOut(of: disk, waitSeconds: waitSeconds)
        return try await Verifier(disk, lock).verify()
    }

    static func repair(_ disk: Disk, waitSeconds: Double) async throws -> RepairReport {
        guard try disk.exists("") else { return RepairReport() }
        // A refresh would go on with what it read before.
        let refreshLock = try await FolderLock.take(FolderLock.refresh, in: disk, waitSeconds: waitSeconds)
        let lock = try await FolderLock.take(FolderLock.write, in: disk, waitSeconds: waitSeconds)
        let report = try await Verifier(disk, lock).repair()
        return withExtendedLifetime(refreshLock) { report }
    }
}

/// Keeps the lock, and does its reading and writing on a thread of its own.
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
        let found = inspection.damage + inspection.leftovers
        guard lock == nil, !found.isEmpty else { return found }
        // Beside a writer that cannot be kept out, files may not fit: what is damaged is so the second time as well.
        let again = try Inspection(disk)
        return (again.damage + again.leftovers).filter(found.contains)
    }

    func repair() throws -> RepairReport {
        var repair = Repair(disk, try Inspection(disk))
        return try repair.run()
    }
}

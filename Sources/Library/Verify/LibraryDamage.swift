public import Domain

/// One thing that is wrong with the library's files.
public struct LibraryDamage: Hashable, Sendable {
    /// Relative to the library.
    public var file: String
    public var line: Int?
    public var reason: String
    /// The podcast concerned, where it is only one.
    public var podcast: PodcastID?
}

/// What a repair did.
public struct RepairReport: Hashable, Sendable {
    public var damage: [LibraryDamage] = []
    /// Where the damaged files were put, relative to the library; nothing is deleted.
    public var setAside: [String] = []
    /// Files that were written anew.
    public var restored: [String] = []
    /// Podcasts restored as far as they could be; the next fetch brings the rest.
    public var waiting: [PodcastID] = []
    /// Files of which something is gone that no fetch can bring back.
    public var lost: [String] = []
}

extension Library {
    /// Reads and checks everything, and changes nothing. Keeps writers out meanwhile.
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
        let lock = try await WriteLock.take(in: disk, waitSeconds: waitSeconds)
        defer { withExtendedLifetime(lock) {} }
        return try Inspection(disk).damage
    }

    static func repair(_ disk: Disk, waitSeconds: Double) async throws -> RepairReport {
        guard try disk.exists("") else { return RepairReport() }
        let lock = try await WriteLock.take(in: disk, waitSeconds: waitSeconds)
        defer { withExtendedLifetime(lock) {} }
        var repair = Repair(disk, try Inspection(disk))
        return try repair.run()
    }
}

public import Domain
public import Results

/// Makes one library equal to another, of either kind.
///
/// ```
/// files ─▶ records ─▶ again, until a pass finds nothing to do
/// ```
/// 1. Files: those of a folder, unchanged. A database only stores them, for copying back to a folder.
/// 2. Records: those that differ from the source. If a folder got its own files back, these are the records changed
///   since; if there are none, the folder is byte for byte what it was. Undo steps are copied only as files.
///
/// Each step compares before it writes. A copy that was interrupted therefore continues where it stopped, and a copy
/// beside a writer ends with a pass during which nobody wrote.
public struct CopyLibrary: Sendable {
    public struct Side: Sendable {
        let files: any FileArchive
        /// Opens the library; for a folder, after its files were copied.
        let open: @Sendable () async throws -> Repositories
        /// True if the records are in the files.
        let isFolder: Bool

        public init(files: any FileArchive, isFolder: Bool, open: @escaping @Sendable () async throws -> Repositories) {
            (self.files, self.isFolder, self.open) = (files, isFolder, open)
        }
    }

    private let source: Side
    private let target: Side

    public init(from source: Side, to target: Side) { (self.source, self.target) = (source, target) }

    /// Passes after which a concurrent writer has to be waited for.
    private static let maxPasses = 20

    /// - Throws: `LibraryFailure`, `DatabaseFailure`.
    public func callAsFunction(now: Timestamp) async throws -> CopyOutcome {
        _ = try await copyFiles()
        let records = CopyRecords(from: try await source.open(), to: try await target.open(), now: now)
        for _ in 0..<Self.maxPasses {
            var isChanged = try await records()
            if source.isFolder, try await copyFiles() { isChanged = true }
            if !isChanged { return try await records.outcome() }
        }
        throw LibraryFailure.locked(holder: nil)
    }

    /// Bytes in memory at once.
    private static let batchSize = 4 << 20

    /// - Returns: true if there was anything to do.
    private func copyFiles() async throws -> Bool {
        let (wanted, stored) = (try await source.files.files(), try await target.files.files())
        let copied = Set(stored)
        let missing = wanted.filter { !copied.contains($0) }
        let names = Set(wanted.map(\.name))
        let gone = stored.filter { !names.contains($0.name) }
        try await target.files.remove(gone)
        var (batch, size) = ([FilePart](), 0)
        for file in missing {
            for number in 0..<file.parts {
                batch.append(FilePart(file, number))
                size += min(file.size, ArchivedFile.partSize)
                guard size >= Self.batchSize else { continue }
                try await copy(batch)
                (batch, size) = ([], 0)
            }
        }
        try await copy(batch)
        return !missing.isEmpty || !gone.isEmpty
    }

    private func copy(_ parts: [FilePart]) async throws {
        guard !parts.isEmpty else { return }
        let bytes = try await source.files.read(parts)
        try await target.files.write(Array(zip(parts, bytes)).map { (part: $0, bytes: $1) })
    }
}

import Domain
import Glibc

extension Library {
    /// Gives what tells this state of the library from any other: its shared files, and of each podcast's file the first
    /// line, which has the checksum of all others.
    ///
    /// - Parameter includingSecrets: users and passwords too.
    /// - Throws: `LibraryFailure`.
    public static func identity(
        of path: String, includingSecrets: Bool, _ give: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let disk = Disk(root: path, calls: SystemCalls())
        let shared = [
            LibraryMarker.document.name, PodcastTable.logName, TimesFile.document.name, HostFile.document.name,
        ]
        for name in shared + (includingSecrets ? [PodcastTable.secrets.name] : []) {
            try (try disk.read(name) ?? []).withUnsafeBytes(give)
        }
        guard try disk.exists(EpisodeFiles.folder) else { return }
        for name in try disk.list(EpisodeFiles.folder).sorted() {
            let descriptor = try disk.open("\(EpisodeFiles.folder)/\(name)", O_RDONLY)
            defer { close(descriptor) }
            try withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { room in
                let count = read(descriptor, room.baseAddress, room.count)
                try give(UnsafeRawBufferPointer(rebasing: room[..<max(0, count)]))
            }
        }
    }
}

import Domain
import Glibc

extension Library {
    /// Passes on bytes that identify this state of the library: its shared files, and the first line of each podcast's
    /// file, which has a checksum over all other lines.
    ///
    /// - Parameter includingSecrets: also passes on users and passwords.
    /// - Throws: `LibraryFailure`.
    public static func identity(
        of path: String, includingSecrets: Bool, _ give: (RawSpan) throws -> Void
    ) throws {
        let disk = Disk(root: path, calls: SystemCalls())
        let shared = [
            LibraryMarker.document.name, PodcastTable.logName, TimesFile.document.name, HostFile.document.name,
        ]
        for name in shared + (includingSecrets ? [PodcastTable.secrets.name] : []) {
            let bytes = try disk.read(name) ?? []
            try give(bytes.span.bytes)
        }
        guard try disk.exists(EpisodeFiles.folder) else { return }
        for name in try disk.list(EpisodeFiles.folder).sorted() {
            let descriptor = try disk.open("\(EpisodeFiles.folder)/\(name)", O_RDONLY)
            defer { close(descriptor) }
            var beginning = [UInt8](repeating: 0, count: 128)
            let count = read(descriptor, &beginning, beginning.count)
            try give(beginning.span.bytes.extracting(first: max(0, count)))
        }
    }
}

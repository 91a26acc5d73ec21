import Database
import FileSystem
import Glibc

/// The folders in the cache, one per library. Each contains the search index and, of a library in a folder, the catalogue
/// and the places of episodes, which can all be made again.
struct CacheFolders {
    /// The folder that contains them.
    let root: String

    /// Name of the file that contains the library's path, or its address in a database. Its date is that of the last
    /// refresh; for a database, of the last day on which the index was used.
    private static let owner = "library"
    /// Seconds for which the folder of a missing library is kept, since it may be on a disk that is mounted again.
    private static let maxAge = 30 * 86_400

    /// Does the same as `sweep` for a library in a database, at most once a day.
    ///
    /// - Parameter isNew: true to create a missing folder, for a library that is about to be searched.
    func noteUse(of folder: String, for address: String, isNew: Bool) {
        var facts = stat()
        let now = time(nil)
        if lstat("\(folder)/\(Self.owner)", &facts) == 0, now - facts.st_mtim.tv_sec < 86_400 { return }
        if isNew { for path in Self.ancestors(of: folder) { mkdir(path, 0o700) } }
        sweep(using: folder, of: address, now: now)
    }

    /// The folders that contain this one, and itself.
    private static func ancestors(of folder: String) -> [String] {
        folder.indices.dropFirst().filter { folder[$0] == "/" }.map { String(folder[..<$0]) } + [folder]
    }

    /// Notes that `folder` belongs to the library at `path`, and removes the folders of libraries that have been
    /// missing for 30 days. Failures are ignored: nothing depends on it.
    func sweep(using folder: String, of path: String, now: Int) {
        guard let file = fopen("\(folder)/\(Self.owner)", "we") else { return }
        fputs(path, file)
        fclose(file)
        for name in folderNames(root) ?? [] {
            let other = "\(root)/\(name)"
            if other != folder, isAbandoned(other, now) { Self.remove(other) }
        }
    }

    private func isAbandoned(_ folder: String, _ now: Int) -> Bool {
        var facts = stat()
        guard lstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR,
            lstat("\(folder)/\(Self.owner)", &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            now - facts.st_mtim.tv_sec > Self.maxAge, let path = Self.text("\(folder)/\(Self.owner)")
        else { return false }
        // A database is not asked whether it still holds the library: an index that nobody used for so long can go.
        if DatabaseAddress.isOne(path) { return true }
        guard path.hasPrefix("/") else { return false }
        return access("\(path)/library.json", F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    private static func text(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = fread(&bytes, 1, bytes.count, file)
        return String(validating: bytes[..<count], as: UTF8.self)
    }

    /// Removes a folder. The file with the library's path goes last, so that an interrupted removal is continued later.
    private static func remove(_ folder: String) {
        for name in (folderNames(folder) ?? []).sorted(by: { _, other in other == owner }) {
            let path = "\(folder)/\(name)"
            if unlink(path) != 0 { remove(path) }
        }
        rmdir(folder)
    }
}

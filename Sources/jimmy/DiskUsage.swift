import FileSystem
import Glibc

/// The size in bytes of the files in a folder and its subfolders.
enum DiskUsage {
    /// nil if the folder cannot be read.
    static func bytes(in folder: String) -> Int? {
        guard let names = folderNames(folder) else { return nil }
        var total = 0
        for name in names {
            var facts = stat()
            guard lstat(folder + "/" + name, &facts) == 0 else { continue }
            if facts.st_mode & S_IFMT == S_IFDIR {
                total += bytes(in: folder + "/" + name) ?? 0
            } else {
                total += Int(facts.st_size)
            }
        }
        return total
    }
}

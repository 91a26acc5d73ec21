import Glibc

/// The size in bytes of the files in a folder and its subfolders.
enum DiskUsage {
    /// nil if the folder cannot be read.
    static func bytes(in folder: String) -> Int? {
        guard let handle = opendir(folder) else { return nil }
        defer { closedir(handle) }
        var total = 0
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
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

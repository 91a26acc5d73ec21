import FileSystem
import Glibc

/// A file of derived data in the cache. Readers must notice if it was cut short by a crash or does not match the library.
enum CacheFile {
    /// Replaces the file, creating its folders if needed. The data can be made again, so an error is ignored and nothing is
    /// synced.
    static func write(_ bytes: [UInt8], to path: String) {
        makeFolders(above: path)
        // Several libraries of one process may write at the same time, and a published file is mapped by readers.
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let failure = writeAll(bytes, to: descriptor)
        if close(descriptor) == 0, failure == nil, rename(temporary, path) == 0 { return }
        unlink(temporary)
    }

    private static func makeFolders(above path: String) {
        var end = path.startIndex
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
    }
}

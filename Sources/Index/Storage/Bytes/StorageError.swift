internal import Memory

/// The failure of a system call on a file of the index.
struct StorageError: Error {
    let errno: Int32
}

/// A file of the index is damaged.
struct StorageDamage: Error {}

extension MappedFile {
    /// Maps a file of the index.
    convenience init(indexFile path: String) throws(StorageError) {
        do throws(Failure) { try self.init(path) } catch { throw StorageError(errno: error.errno) }
    }
}

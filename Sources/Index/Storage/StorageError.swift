internal import Memory

/// A system call on a file of the index failed.
struct StorageError: Error {
    let errno: Int32
}

/// A file of the index is not what was written.
struct StorageDamage: Error {}

extension MappedFile {
    /// A file of the index.
    convenience init(indexFile path: String) throws(StorageError) {
        do throws(Failure) { try self.init(path) } catch { throw StorageError(errno: error.errno) }
    }
}

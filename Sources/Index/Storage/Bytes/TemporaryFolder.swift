internal import Glibc

/// A folder for a temporary index, deleted together with this object.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Throws: `StorageError`.
    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/jimmy-index-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw StorageError(errno: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        IndexFolder(path: path).removeAll()
        rmdir(path)
    }
}

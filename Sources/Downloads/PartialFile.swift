internal import CDigest
import Domain
import Glibc
import Synchronization

/// `NAME.part` with its note.
///
/// The note goes before the bytes it speaks of do, and is there before the first byte of others. So whenever jimmy is
/// killed, the bytes are those of the note, or there is no note, and the file begins again. The note outlives the part until
/// the finished file is reported, so that a run that ends in between does not make the next one fetch it again.
final class PartialFile: UnfinishedFile {
    private let path: String
    private let note: String
    private let descriptor: Int32
    private let state: Mutex<(bytes: Int, source: MediaSourceState?)>

    private var part: String { path + ".part" }
    var bytes: Int { state.withLock { $0.bytes } }
    var source: MediaSourceState? { state.withLock { $0.source } }

    init(_ path: String, note: String) throws {
        self.path = path
        self.note = note
        let name = path + ".part"
        descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw LibraryFailure.io(file: name, operation: "open", errno: errno) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            let number = errno
            close(descriptor)
            throw LibraryFailure.io(file: name, operation: "fstat", errno: number == 0 ? EINVAL : number)
        }
        let source = Self.read(note)
        state = Mutex((source == nil ? 0 : Int(facts.st_size), source))
    }

    deinit { close(descriptor) }

    func begin(_ source: MediaSourceState) throws {
        try remove(note)
        guard ftruncate(descriptor, 0) == 0 else { throw failure(part, "ftruncate") }
        try Self.write(source, to: note)
        state.withLock { $0 = (0, source) }
    }

    func append(_ bytes: [UInt8]) throws {
        var offset = self.bytes
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(part, "write")
            }
            offset += count
            rest = rest.dropFirst(count)
            state.withLock { $0.bytes = offset }
        }
    }

    func digest(_ name: String) throws -> [UInt8]? {
        guard let digest = digest_new(name) else { return nil }
        defer { digest_free(digest) }
        var bytes = [UInt8](repeating: 0, count: 1 << 18)
        var offset = 0
        while true {
            let count = pread(descriptor, &bytes, bytes.count, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(part, "read") }
            if count == 0 { break }
            guard digest_add(digest, bytes, count) else { return nil }
            offset += count
        }
        var sum = [UInt8](repeating: 0, count: Int(DIGEST_MAX_SIZE))
        let size = Int(digest_finish(digest, &sum))
        return size > 0 ? Array(sum[..<size]) : nil
    }

    func finish(modifiedAt: Timestamp?) throws -> DownloadedFile {
        if let modifiedAt {
            let time = timespec(tv_sec: Int(modifiedAt.seconds), tv_nsec: 0)
            let times = [time, time]
            // A file system that cannot store the date is no reason to lose the file.
            _ = futimens(descriptor, times)
        }
        guard fsync(descriptor) == 0 else { throw failure(part, "fsync") }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw failure(part, "fstat") }
        guard rename(part, path) == 0 else { throw failure(path, "rename") }
        let folder = open(MediaFolder.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            defer { close(folder) }
            guard fsync(folder) == 0 || errno == EINVAL else { throw failure(path, "fsync") }
        }
        return DownloadedFile(
            path: path, bytes: Int(facts.st_size), modifiedAt: Timestamp(seconds: Int64(facts.st_mtim.tv_sec)))
    }

    func discard() throws {
        try remove(note)
        try remove(part)
        state.withLock { $0 = (0, nil) }
    }

    private func remove(_ name: String) throws {
        guard unlink(name) == 0 || errno == ENOENT else { throw failure(name, "unlink") }
    }

    private func failure(_ name: String, _ operation: String) -> LibraryFailure {
        LibraryFailure.io(file: name, operation: operation, errno: errno)
    }

    // MARK: The note

    /// Three lines: URL, ETag, Last-Modified. They are header values and cannot hold line ends.
    private static func read(_ name: String) -> MediaSourceState? {
        let descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        // The last line end shows that all of it is there.
        guard lines.count == 4 else { return nil }
        func value(_ line: Substring) -> String? { line.isEmpty ? nil : String(line) }
        return MediaSourceState(url: String(lines[0]), etag: value(lines[1]), lastModified: value(lines[2]))
    }

    private static func write(_ source: MediaSourceState, to name: String) throws {
        let text = [source.url, source.etag ?? "", source.lastModified ?? ""].map { $0.replacing("\n", with: "") + "\n" }.joined()
        let descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw LibraryFailure.io(file: name, operation: "open", errno: errno) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw LibraryFailure.io(file: name, operation: "write", errno: errno == 0 ? ENOSPC : errno)
        }
    }
}

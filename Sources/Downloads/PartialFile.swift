internal import CDigest
import Domain
import FileSystem
import Glibc
import Synchronization

/// `NAME.part` with its note. One run at a time has it, through a lock that ends with the process.
///
/// The note is removed before its bytes are, and written before the first byte of another version. Whenever jimmy is
/// killed, the bytes therefore match the note, or there is no note and the file starts over. The note outlives the
/// partial file until the finished file is recorded, so that a run that ends in between does not cause another
/// download.
final class PartialFile: UnfinishedFile {
    private let path: String
    private let episode: EpisodeID
    private let descriptor: Int32
    private let state: Mutex<(bytes: Int, source: MediaSourceState?)>

    private var part: String { path + ".part" }
    private var note: String { DownloadNote.path(for: path) }
    var bytes: Int { state.withLock { $0.bytes } }
    var source: MediaSourceState? { state.withLock { $0.source } }

    init(_ path: String, of episode: EpisodeID) throws {
        (self.path, self.episode) = (path, episode)
        let part = path + ".part"
        let (descriptor, size) = try Self.openLocked(part)
        self.descriptor = descriptor
        let note = DownloadNote.read(for: path)
        let source = note?.episode == episode.text ? note?.source : nil
        state = Mutex((source == nil ? 0 : size, source))
        guard access(path, F_OK) != 0 else {
            if size == 0 { unlink(part) }
            throw MediaFileBusy()
        }
    }

    /// - Returns: the descriptor of the file that has this name once it is locked, and its size.
    private static func openLocked(_ name: String) throws -> (descriptor: Int32, size: Int) {
        while true {
            let descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard descriptor >= 0 else { throw LibraryFailure.io(file: name, operation: "open", errno: errno) }
            // On a file system without locks, the file is used unlocked.
            if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
                close(descriptor)
                throw MediaFileBusy()
            }
            var (facts, named) = (stat(), stat())
            guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
                let number = errno
                close(descriptor)
                throw LibraryFailure.io(file: name, operation: "fstat", errno: number == 0 ? EINVAL : number)
            }
            // Another run may have renamed or removed the file before this one had the lock.
            if stat(name, &named) == 0, named.st_ino == facts.st_ino { return (descriptor, Int(facts.st_size)) }
            close(descriptor)
        }
    }

    deinit { close(descriptor) }

    func begin(_ source: MediaSourceState) throws {
        try remove(note)
        guard ftruncate(descriptor, 0) == 0 else { throw failure(part, "ftruncate") }
        try DownloadNote(episode: episode.text, source: source).write(to: note)
        state.withLock { $0 = (0, source) }
    }

    func append(_ bytes: [UInt8]) throws {
        var offset = self.bytes
        var remaining = bytes[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(part, "write")
            }
            offset += count
            remaining = remaining.dropFirst(count)
            state.withLock { $0.bytes = offset }
        }
    }

    func digest(_ name: String) throws -> [UInt8]? {
        guard let digest = digest_new(name) else { return nil }
        defer { digest_free(digest) }
        var offset = 0
        while case let bytes = try read(1 << 18, from: offset), !bytes.isEmpty {
            guard digest_add(digest, bytes, bytes.count) else { return nil }
            offset += bytes.count
        }
        var sum = [UInt8](repeating: 0, count: Int(DIGEST_MAX_SIZE))
        let size = Int(digest_finish(digest, &sum))
        return size > 0 ? Array(sum[..<size]) : nil
    }

    func beginning(_ count: Int) throws -> [UInt8] { try read(count, from: 0) }

    private func read(_ count: Int, from offset: Int) throws -> [UInt8] {
        guard let bytes = readBytes(of: descriptor, from: offset, count: count) else { throw failure(part, "read") }
        return bytes
    }

    func finish(as path: String, modifiedAt: Timestamp?) throws -> DownloadedFile {
        if let modifiedAt {
            let time = timespec(tv_sec: Int(modifiedAt.seconds), tv_nsec: 0)
            let times = [time, time]
            // A file system that cannot store the date must not cost the file.
            _ = futimens(descriptor, times)
        }
        guard fsync(descriptor) == 0 else { throw failure(part, "fsync") }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw failure(part, "fstat") }
        // The note is found by the finished file's path. Until the rename it belongs to nothing, so a run that is killed in
        // between fetches the file again.
        if path != self.path {
            try MediaFolder.makeFolders(path.containingFolder ?? ".")
            guard rename(note, DownloadNote.path(for: path)) == 0 || errno == ENOENT else { throw failure(path, "rename") }
        }
        guard rename(part, path) == 0 else { throw failure(path, "rename") }
        let folder = open(path.containingFolder ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
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
}

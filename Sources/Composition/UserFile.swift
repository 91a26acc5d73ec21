import FileSystem
import Glibc
import Presentation

/// A file that the user named; `-` is standard input.
public struct UserFile {
    public let path: String

    public init(_ path: String) { self.path = path }

    /// Its name in messages.
    public var name: String { path == "-" ? "standard input" : path }

    public func read() throws -> [UInt8] {
        var bytes: [UInt8] = []
        if let size { bytes.reserveCapacity(size) }
        try read { bytes += $0 }
        return bytes
    }

    /// - Throws: `FailureLine`.
    public func read(_ receive: ([UInt8]) -> Void) throws {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FailureLine(reading: name, errno: errno) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        while true {
            var error: Int32 = 0
            let piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                let got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if got < 0 { error = errno }
                count = max(0, got)
            }
            if error == EINTR { continue }
            if error != 0 { throw FailureLine(reading: name, errno: error) }
            if piece.isEmpty { return }
            receive(piece)
        }
    }

    /// At most this many bytes of the beginning.
    ///
    /// - Throws: `FailureLine`.
    public func head(_ count: Int) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FailureLine(reading: name, errno: errno) }
        defer { close(descriptor) }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, got in
            got = max(0, Glibc.read(descriptor, buffer.baseAddress, count))
        }
    }

    /// Checks that the file exists, is readable, and is not a folder.
    ///
    /// - Throws: `FailureLine`.
    public func check() throws {
        var facts = stat()
        guard stat(path, &facts) == 0, access(path, R_OK) == 0 else { throw FailureLine(reading: name, errno: errno) }
        if facts.st_mode & S_IFMT == S_IFDIR { throw FailureLine(reading: name, errno: EISDIR) }
    }

    /// True if the file can be read more than once.
    public var isRegular: Bool { size != nil }

    /// nil if it is not a regular file.
    private var size: Int? {
        var facts = stat()
        guard path != "-", stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(facts.st_size)
    }

    /// Replaces the file atomically, or the one that a symbolic link names. Only the user can read the new file, because
    /// feed URLs may contain tokens. A descriptor, a device or a pipe is written to.
    ///
    /// - Throws: `FailureLine`.
    public func replace(with bytes: [UInt8]) throws {
        switch WriteTarget(path) {
        case nil: throw FailureLine(writing: path, errno: errno)
        case .descriptor(let descriptor):
            if let error = writeAll(bytes, to: descriptor) { throw FailureLine(writing: path, errno: error) }
        case .path(let target):
            var facts = stat()
            guard stat(target, &facts) != 0 || facts.st_mode & S_IFMT == S_IFREG else { return try overwrite(bytes) }
            try replace(target, with: bytes)
        }
    }

    private func replace(_ target: String, with bytes: [UInt8]) throws {
        var template = Array((target + ".XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw FailureLine(writing: path, errno: errno) }
        let error = writeAll(bytes, to: descriptor) ?? (fsync(descriptor) != 0 ? errno : nil)
        close(descriptor)
        if let error {
            unlink(template)
            throw FailureLine(writing: path, errno: error)
        }
        guard rename(template, target) == 0 else {
            let error = errno
            unlink(template)
            throw FailureLine(writing: path, errno: error)
        }
        try syncFolder(of: target)
    }

    /// Makes a file's name durable, if the file system supports it.
    private func syncFolder(of target: String) throws {
        let descriptor = open(target.containingFolder ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }  // The folder is writable but not readable.
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw FailureLine(writing: path, errno: errno) }
    }

    private func overwrite(_ bytes: [UInt8]) throws {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FailureLine(writing: path, errno: errno) }
        defer { close(descriptor) }
        if let error = writeAll(bytes, to: descriptor) { throw FailureLine(writing: path, errno: error) }
    }
}

internal import Glibc
internal import Memory

/// Writes a new file of the index piece by piece.
final class FileWriter {
    private let path: String
    /// The file's name until it is complete.
    private let temporaryPath: String
    private let descriptor: Int32
    /// Not checked: each access ends before another begins, and there are millions.
    @exclusivity(unchecked) private var buffer = GrowingBytes.paged(bufferSize + 4_096)
    private var sums = BlockSums()
    private var written = 0
    private var isPublished = false

    private static let bufferSize = 256 << 10
    /// Bytes of one system call. The kernel keeps what it writes at once in one piece, and maps that piece as a whole into
    /// the memory of whoever reads a byte of it.
    private static let pieceSize = 64 << 10

    /// Number of bytes written so far.
    var count: Int { written + buffer.count }

    /// - Parameters:
    ///   - headerSize: bytes at the beginning that `finish` will write; zeros until then, and not covered by checksums.
    ///   - replaces: true if others may read a file of this name; the new file then replaces it when it is complete.
    /// - Throws: `StorageError`.
    init(_ path: String, headerSize: Int = 0, replaces: Bool) throws {
        self.path = path
        written = headerSize
        temporaryPath = replaces ? path + ".new" : path
        descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(errno: errno) }
    }

    deinit {
        close(descriptor)
        if !isPublished { unlink(temporaryPath) }
    }

    func write(_ bytes: ByteView) throws {
        if bytes.count > Self.bufferSize {
            try flush()
            try put(bytes)
        } else {
            buffer.append(bytes)
            if buffer.count >= Self.bufferSize { try flush() }
        }
    }

    func write(_ content: borrowing GrowingBytes) throws { try write(content.view) }

    /// Writes a number of fixed size, in the machine's byte order.
    @inline(__always) func write<T: BitwiseCopyable>(fixed value: T) throws {
        buffer.append(fixed: value)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    private func flush() throws {
        try put(buffer.view)
        buffer.removeAll()
    }

    private func put(_ bytes: ByteView) throws {
        sums.update(bytes)
        try Self.write(bytes, descriptor, at: written)
        written += bytes.count
    }

    /// - Throws: `StorageError`.
    static func write(_ bytes: ByteView, _ descriptor: Int32, at offset: Int) throws {
        var done = 0
        while done < bytes.count {
            let count = min(pieceSize, bytes.count - done)
            let size = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, count, off_t(offset + done))
            if size < 0, errno == EINTR { continue }
            guard size > 0 else { throw StorageError(errno: size < 0 ? errno : EIO) }
            done += size
        }
    }

    /// The checksums of the blocks of all bytes written so far, except the header.
    func blockSums() throws -> GrowingBytes {
        try flush()
        return sums.take()
    }

    /// Writes the header. Until the file is synced, a power cut may leave it in any state.
    func finish(header: borrowing GrowingBytes) throws {
        try flush()
        try Self.write(header.view, descriptor, at: 0)
        isPublished = true
    }

    /// Syncs the file and gives it its name.
    func publish() throws {
        try flush()
        guard fdatasync(descriptor) == 0 else { throw StorageError(errno: errno) }
        guard rename(temporaryPath, path) == 0 else { throw StorageError(errno: errno) }
        isPublished = true
    }
}

/// Bytes that are written to a file of the index later, after others that are not known yet. They are stored in an
/// unnamed file.
final class Spool {
    private let descriptor: Int32
    private(set) var count = 0

    /// - Throws: `StorageError`.
    init(beside path: String) throws {
        let name = path + ".spool"
        descriptor = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(errno: errno) }
        unlink(name)
    }

    deinit { close(descriptor) }

    func write(_ bytes: ByteView) throws {
        try FileWriter.write(bytes, descriptor, at: count)
        count += bytes.count
    }

    func copy(to writer: FileWriter) throws {
        var piece = GrowingBytes(capacity: 64 << 10)
        var done = 0
        while done < count {
            piece.removeAll()
            let buffer = piece.skip(min(64 << 10, count - done))
            let size = pread(descriptor, buffer, piece.count, off_t(done))
            if size < 0, errno == EINTR { continue }
            guard size > 0 else { throw StorageError(errno: size < 0 ? errno : EIO) }
            piece.cut(to: size)
            try writer.write(piece)
            done += size
        }
    }
}

internal import Glibc

/// A section of a new file on its way there: in memory while it is small, behind that in a file without a name, so that
/// merging large segments takes hardly more memory than merging small ones.
final class Spool {
    private let buffer = ByteBuffer()
    private let path: String
    private var descriptor: Int32 = -1
    private var written = 0
    private var failure: StorageError?

    static let limit = 256 << 10

    /// Bytes until now.
    var count: Int { written + buffer.count }

    /// - Parameter path: a name that is free, for a moment.
    init(_ path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func append(_ bytes: UnsafeRawBufferPointer) {
        buffer.append(bytes)
        if buffer.count >= Self.limit { spill() }
    }

    func append<T: BitwiseCopyable>(fixed value: T) {
        buffer.append(fixed: value)
        if buffer.count >= Self.limit { spill() }
    }

    /// What cannot be written is told by `copy`.
    private func spill() {
        do {
            if descriptor < 0 {
                descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
                guard descriptor >= 0 else { throw StorageError(errno: errno) }
                unlink(path)
            }
            try FileWriter.write(buffer.bytes, descriptor, at: written)
        } catch {
            failure = failure ?? error as? StorageError
        }
        written += buffer.count
        buffer.removeAll()
    }

    /// - Throws: `StorageError`, also for what could not be written before.
    func copy(to file: FileWriter) throws {
        if let failure { throw failure }
        let piece = ByteBuffer(capacity: Self.limit)
        var offset = 0
        while offset < written {
            piece.removeAll()
            let size = pread(descriptor, piece.skip(min(Self.limit, written - offset)), min(Self.limit, written - offset), off_t(offset))
            if size < 0, errno == EINTR { continue }
            guard size > 0 else { throw StorageError(errno: size < 0 ? errno : EIO) }
            piece.cut(to: size)
            try file.write(piece)
            offset += size
        }
        try file.write(buffer)
    }
}

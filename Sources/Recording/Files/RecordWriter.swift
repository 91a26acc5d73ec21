internal import CDecoders
import Domain
import Glibc
import JSON

/// Writes records to a file, compressed as one stream. Uses a few hundred KB of memory, whatever is recorded.
///
/// A record consists of its length (4 bytes, little endian), the XXH64 of its contents (8 bytes), and its contents: a
/// line of JSON, then raw bytes.
struct RecordWriter: ~Copyable {
    /// Number of bytes that are collected before they are compressed.
    private static let portion = 128 << 10
    private static let level: Int32 = 1

    private let descriptor: Int32
    private let compressor: OpaquePointer
    private var pending: [UInt8] = []
    private var compressed = [UInt8](repeating: 0, count: 256 << 10)
    /// The first failure; nothing is written after it.
    private(set) var failure: RecordingFailure?

    /// - Throws: `RecordingFailure`.
    init(_ path: String) throws(RecordingFailure) {
        guard let compressor = zstd_writer_new(Self.level) else { throw .missingLibrary(name: "libzstd.so.1") }
        // Readable only by the user, like the library.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            zstd_writer_free(compressor)
            throw .unwritable(errno: errno)
        }
        self.descriptor = descriptor
        self.compressor = compressor
        pending.reserveCapacity(Self.portion + (64 << 10))
    }

    deinit {
        zstd_writer_free(compressor)
        close(descriptor)
    }

    mutating func append(_ head: JSONWriter, _ bytes: [UInt8] = []) {
        let line = head.bytes
        var hash = XXH64()
        hash.update(line)
        hash.update([UInt8(ascii: "\n")])
        hash.update(bytes)
        append(UInt32(line.count + 1 + bytes.count))
        append(hash.finish())
        pending += line
        pending.append(UInt8(ascii: "\n"))
        pending += bytes
        if pending.count >= Self.portion { compress(ZSTD_STREAM_GOES_ON) }
    }

    /// Passes everything to the system, so that nothing is lost if this process is killed.
    mutating func flush() { compress(ZSTD_STREAM_FLUSH) }

    mutating func finish() {
        compress(ZSTD_STREAM_END)
        if failure == nil, fsync(descriptor) != 0, errno != EINVAL { failure = .unwritable(errno: errno) }
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { pending += $0 }
    }

    private mutating func compress(_ step: zstd_step) {
        defer { pending.removeAll(keepingCapacity: true) }
        var offset = 0
        var remains = true
        while remains, failure == nil {
            var (consumed, produced) = (0, 0)
            let succeeded = pending.withUnsafeBufferPointer { input in
                zstd_writer_run(
                    compressor, input.baseAddress.map { $0 + offset }, input.count - offset, &consumed, &compressed,
                    compressed.count, &produced, step, &remains)
            }
            guard succeeded else { return failure = .unwritable(errno: ENOMEM) }
            offset += consumed
            write(produced)
        }
    }

    private mutating func write(_ count: Int) {
        var offset = 0
        while offset < count {
            let written = compressed.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, count - offset)
            }
            if written > 0 {
                offset += written
            } else if written == 0 || errno != EINTR {
                return failure = .unwritable(errno: written == 0 ? EIO : errno)
            }
        }
    }
}

internal import CDecoders
import Domain
import Glibc

/// Reads records from a file, one after the other. A truncated file is read up to where it ends.
struct RecordReader: ~Copyable {
    /// In bytes.
    private static let maxLength = 64 << 20

    private let descriptor: Int32
    private let decompressor: OpaquePointer
    private var input = [UInt8](repeating: 0, count: 256 << 10)
    private var inputStart = 0
    private var inputEnd = 0
    /// Decompressed bytes, of which those before `outputStart` were already returned.
    private var output: [UInt8] = []
    private var outputStart = 0
    /// True if the file has been read and the decompressor has no more output.
    private var isAtEnd = false
    /// Number of records read.
    private(set) var count = 0

    /// - Throws: `RecordingFailure`.
    init(_ path: String) throws(RecordingFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(errno: errno) }
        guard let decompressor = zstd_reader_new() else {
            close(descriptor)
            throw .missingLibrary(name: "libzstd.so.1")
        }
        self.descriptor = descriptor
        self.decompressor = decompressor
    }

    deinit {
        zstd_reader_free(decompressor)
        close(descriptor)
    }

    /// The bytes of the next record; nil at the end of the file, even within a record.
    ///
    /// - Throws: `RecordingFailure` if the record is damaged or the file is not a recording.
    mutating func next() throws(RecordingFailure) -> ArraySlice<UInt8>? {
        guard try fill(12) else { return nil }
        let length = Int(number(at: 0, as: UInt32.self))
        let sum = number(at: 4, as: UInt64.self)
        guard length <= Self.maxLength else { throw damage }
        guard try fill(12 + length) else { return nil }
        let record = output[(outputStart + 12)..<(outputStart + 12 + length)]
        outputStart += 12 + length
        guard XXH64.hash(record) == sum else { throw damage }
        count += 1
        return record
    }

    private var damage: RecordingFailure { count == 0 ? .notARecording : .damaged(record: count + 1) }

    private func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
        output.withUnsafeBytes {
            Number(littleEndian: $0.loadUnaligned(fromByteOffset: outputStart + offset, as: Number.self))
        }
    }

    /// Makes `size` bytes available. False if the file ends before that.
    private mutating func fill(_ size: Int) throws(RecordingFailure) -> Bool {
        while output.count - outputStart < size {
            if isAtEnd { return false }
            if outputStart > 1 << 20 || outputStart == output.count {
                output.removeFirst(outputStart)
                outputStart = 0
            }
            if inputStart == inputEnd { try readInput() }
            try decompress()
        }
        return true
    }

    private mutating func readInput() throws(RecordingFailure) {
        var count = 0
        repeat { count = read(descriptor, &input, input.count) } while count < 0 && errno == EINTR
        guard count >= 0 else { throw .unreadable(errno: errno) }
        (inputStart, inputEnd) = (0, count)
    }

    private mutating func decompress() throws(RecordingFailure) {
        var (consumed, produced) = (0, 0)
        var succeeded = true
        let room = 256 << 10
        let before = output.count
        output.append(contentsOf: repeatElement(0, count: room))
        output.withUnsafeMutableBufferPointer { output in
            input.withUnsafeBufferPointer { input in
                guard let to = output.baseAddress, let from = input.baseAddress else { return }
                succeeded = zstd_reader_run(
                    decompressor, from + inputStart, inputEnd - inputStart, &consumed, to + before, room, &produced)
            }
        }
        output.removeLast(room - produced)
        isAtEnd = produced == 0 && inputStart == inputEnd
        inputStart += consumed
        guard succeeded else { throw damage }
    }
}

/// The files of a library folder, byte for byte. A database stores those of the folder that was copied into it, so that
/// it can be copied back.
public protocol FileArchive: Sendable {
    /// All complete files. Locks and files that are being written are left out.
    func files() async throws -> [ArchivedFile]
    /// The bytes of parts, in order; empty for a part that no longer exists.
    func read(_ parts: [FilePart]) async throws -> [[UInt8]]
    /// Writes parts. Those of one file must come in order; its last part completes the file.
    func write(_ parts: [(part: FilePart, bytes: [UInt8])]) async throws
    func remove(_ files: [ArchivedFile]) async throws
}

public struct ArchivedFile: Hashable, Sendable {
    /// Relative to the library's folder.
    public var name: String
    /// As of `chmod`.
    public var mode: Int
    public var size: Int
    /// XXH64 of all bytes.
    public var digest: UInt64

    public init(name: String, mode: Int, size: Int, digest: UInt64) {
        (self.name, self.mode, self.size, self.digest) = (name, mode, size, digest)
    }

    /// Bytes of a part.
    public static let partSize = 1 << 20

    public var parts: Int { (size + Self.partSize - 1) / Self.partSize }
}

public struct FilePart: Equatable, Sendable {
    public var file: ArchivedFile
    /// Counted from 0.
    public var number: Int

    public init(_ file: ArchivedFile, _ number: Int) { (self.file, self.number) = (file, number) }

    public var isLast: Bool { number == file.parts - 1 }
}

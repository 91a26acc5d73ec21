import CFiles
public import Domain
import FileSystem
import Glibc

/// The files of a library's folder.
public struct FolderFiles: FileArchive {
    /// Name of the file that marks an unfinished copy and names its source.
    static let copying = "copying"

    private let disk: Disk

    public init(_ path: String) { self.init(Disk(root: path, calls: SystemCalls())) }
    init(_ disk: Disk) { self.disk = disk }

    // MARK: Reading

    public func files() async throws -> [ArchivedFile] {
        var files: [ArchivedFile] = []
        try add("", to: &files)
        return files
    }

    private static let excludedNames: Set = [FolderLock.write, Disk.staging, copying]

    private func add(_ folder: String, to files: inout [ArchivedFile]) throws {
        for name in try disk.list(folder) where !folder.isEmpty || !Self.excludedNames.contains(name) {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            var status = stat()
            guard lstat(disk.path(path), &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: try add(path, to: &files)
            case S_IFREG where status.st_size > 0:
                if let file = try file(path, mode: Int(status.st_mode & 0o7777)) { files.append(file) }
            default: break
            }
        }
    }

    /// nil if the file is gone.
    private func file(_ name: String, mode: Int) throws -> ArchivedFile? {
        var (hash, size) = (XXH64(), 0)
        var number = 0
        while let bytes = try bytes(of: name, part: number), !bytes.isEmpty {
            hash.update(bytes)
            size += bytes.count
            number += 1
        }
        return size > 0 ? ArchivedFile(name: name, mode: mode, size: size, digest: hash.finish()) : nil
    }

    public func read(_ parts: [FilePart]) async throws -> [[UInt8]] {
        try parts.map { try bytes(of: $0.file.name, part: $0.number) ?? [] }
    }

    /// nil if the file does not exist.
    private func bytes(of name: String, part: Int) throws -> [UInt8]? {
        guard try disk.exists(name) else { return nil }
        let descriptor = try disk.open(name, O_RDONLY | O_NONBLOCK)
        defer { close(descriptor) }
        let size = ArchivedFile.partSize
        guard let bytes = readBytes(of: descriptor, from: part * size, count: size) else {
            throw LibraryFailure.io(file: disk.path(name), operation: "read", errno: errno)
        }
        return bytes
    }

    // MARK: Writing

    private static let unfinished = Disk.staging + "/copy"

    public func write(_ parts: [(part: FilePart, bytes: [UInt8])]) async throws {
        try disk.makeFolder(Disk.staging)
        for (part, bytes) in parts {
            if part.number == 0 {
                try disk.create(Self.unfinished, sync: false) { write in try write(bytes.span.bytes) }
            } else {
                try disk.append(Self.unfinished, bytes.span.bytes, at: part.number * ArchivedFile.partSize)
            }
            guard part.isLast else { continue }
            try makeFolders(above: part.file.name)
            guard chmod(disk.path(Self.unfinished), mode_t(part.file.mode)) == 0 else {
                throw LibraryFailure.io(file: disk.path(part.file.name), operation: "chmod", errno: errno)
            }
            try disk.rename(Self.unfinished, to: part.file.name)
        }
    }

    private func makeFolders(above name: String) throws {
        for index in name.indices where name[index] == "/" { try disk.makeFolder(String(name[..<index])) }
    }

    public func remove(_ files: [ArchivedFile]) async throws {
        for file in files { try disk.remove(file.name) }
    }
}

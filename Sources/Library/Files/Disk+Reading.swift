import Domain
import FileSystem
import Glibc

extension Disk {
    /// The whole file; nil if it does not exist.
    ///
    /// - Throws: `LibraryFailure.damaged` if the name belongs to something other than a file.
    func read(_ name: String) throws -> [UInt8]? {
        try reading(name) { descriptor, size in
            // One byte more than the size, so that the first read also detects the end.
            try [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
                while count < buffer.count {
                    let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                    let got = try check(retrying { calls.read(descriptor, room) }, name, "read")
                    if got == 0 { break }
                    count += got
                }
            }
        }
    }

    /// What `eachLine` does after a line.
    enum Step {
        case next, end
        /// Goes on with the line at this offset.
        case jump(to: Int)
    }

    /// Calls `body` with the lines of a file one after another, each with its newline, until it ends that. Only a window of
    /// the file is in memory: the bytes passed to `body`, valid until it returns, with the range of the line and the size of
    /// the file.
    ///
    /// - Returns: true if the file exists.
    /// - Throws: as `read` does, or what `body` throws.
    func eachLine(_ name: String, _ body: ([UInt8], Range<Int>, Int) throws -> Step) throws -> Bool {
        try reading(name) { descriptor, size in
            var window = [UInt8](repeating: 0, count: min(size, Self.window) + 1)
            // The bytes of the window that `body` has not seen yet, and how many of them contain no newline.
            var unseen = 0..<0
            var searched = 0
            while true {
                while let end = window.firstNewline(in: unseen.lowerBound + searched..<unseen.upperBound) {
                    let step = try body(window, unseen.lowerBound..<end + 1, size)
                    (unseen, searched) = (end + 1..<unseen.upperBound, 0)
                    switch step {
                    case .next: break
                    case .end: return true
                    case .jump(let offset):
                        _ = try check(calls.seek(descriptor, Int64(offset)), name, "lseek")
                        unseen = 0..<0
                    }
                }
                searched = unseen.count
                if unseen.lowerBound > 0 {
                    window.withUnsafeMutableBytes { $0.copyBytes(from: UnsafeRawBufferPointer(rebasing: $0[unseen])) }
                    unseen = 0..<unseen.count
                } else if unseen.count == window.count {
                    window += [UInt8](repeating: 0, count: window.count)
                }
                let got = try window.withUnsafeMutableBytes { bytes in
                    let room = UnsafeMutableRawBufferPointer(rebasing: bytes[unseen.upperBound...])
                    return try check(retrying { calls.read(descriptor, room) }, name, "read")
                }
                if got == 0 {
                    if unseen.isEmpty { return true }
                    // The end of a file that was cut off.
                    guard case .jump(let offset) = try body(window, unseen, size) else { return true }
                    _ = try check(calls.seek(descriptor, Int64(offset)), name, "lseek")
                    unseen = 0..<0
                    searched = 0
                    continue
                }
                unseen = 0..<unseen.upperBound + got
            }
        } ?? false
    }

    /// Bytes read at a time; small enough to stay in the CPU cache. A wanted episode may be anywhere in its file, so a
    /// larger window would often be read in vain.
    private static let window = 24 << 10

    /// Opens a file while `body` runs; nil if it does not exist.
    private func reading<Result>(_ name: String, _ body: (Int32, Int) throws -> Result) throws -> Result? {
        let descriptor: Int32
        do {
            // Opening a pipe must not block.
            guard let opened = try openIfPresent(name, O_RDONLY | O_NONBLOCK) else { return nil }
            descriptor = opened
        } catch LibraryFailure.io(_, _, ELOOP) {
            throw Damage.noFile.failure(name)
        }
        defer { _ = calls.close(descriptor) }
        let size: Int64
        do {
            size = try check(calls.size(descriptor), name, "fstat")
        } catch LibraryFailure.io(_, _, EISDIR) {
            throw Damage.noFile.failure(name)
        }
        return try body(descriptor, Int(size))
    }

    /// Names in a folder, sorted; empty if the folder does not exist.
    func list(_ folder: String) throws -> [String] {
        guard let names = folderNames(path(folder)) else {
            if errno == ENOENT { return [] }
            throw failure(folder, "readdir")
        }
        return names.sorted()
    }

    func exists(_ name: String) throws -> Bool {
        do {
            guard let descriptor = try openIfPresent(name, O_RDONLY | O_NONBLOCK) else { return false }
            _ = calls.close(descriptor)
        } catch LibraryFailure.io(_, _, ELOOP) {}
        return true
    }

    /// Shows whether a file has changed: it was replaced, or it has grown.
    struct Status: Hashable, Sendable {
        var inode: UInt64
        var size: Int64
    }

    /// nil if the file does not exist.
    func status(_ name: String) throws -> Status? {
        if let status = calls.status(path(name)) { return status }
        guard errno == ENOENT else { throw failure(name, "stat") }
        return nil
    }
}

import CFiles
import Glibc

/// The system calls that change or read the library. Only tests replace them, with failing ones.
struct SystemCalls: Sendable {
    var open: @Sendable (String, Int32, mode_t) -> Int32 = { Glibc.open($0, $1, $2) }
    var close: @Sendable (Int32) -> Int32 = { Glibc.close($0) }
    /// The size of a file in bytes; EISDIR if it is not a regular file.
    var size: @Sendable (Int32) -> Int64 = { descriptor in
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return -1 }
        guard status.st_mode & S_IFMT == S_IFREG else {
            errno = EISDIR
            return -1
        }
        return Int64(status.st_size)
    }
    /// nil with errno set after a failure.
    var status: @Sendable (String) -> Disk.Status? = { path in
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        return Disk.Status(inode: UInt64(facts.st_ino), size: Int64(facts.st_size))
    }
    var read: @Sendable (Int32, UnsafeMutableRawBufferPointer) -> Int = { Glibc.read($0, $1.baseAddress, $1.count) }
    var write: @Sendable (Int32, RawSpan) -> Int = { descriptor, bytes in
        bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
    var seek: @Sendable (Int32, Int64) -> Int64 = { Int64(lseek($0, off_t($1), SEEK_SET)) }
    var truncate: @Sendable (Int32, Int64) -> Int32 = { ftruncate($0, off_t($1)) }
    var fsync: @Sendable (Int32) -> Int32 = { Glibc.fsync($0) }
    var syncfs: @Sendable (Int32) -> Int32 = { CFiles.syncfs($0) }
    var beginWriteback: @Sendable (Int32) -> Int32 = { begin_writeback($0) }
    var forget: @Sendable (Int32) -> Int32 = { posix_fadvise($0, 0, 0, POSIX_FADV_DONTNEED) }
    var rename: @Sendable (String, String) -> Int32 = { Glibc.rename($0, $1) }
    var link: @Sendable (String, String) -> Int32 = { Glibc.link($0, $1) }
    var unlink: @Sendable (String) -> Int32 = { Glibc.unlink($0) }
    var rmdir: @Sendable (String) -> Int32 = { Glibc.rmdir($0) }
    var mkdir: @Sendable (String, mode_t) -> Int32 = { Glibc.mkdir($0, $1) }
    var lock: @Sendable (Int32) -> Int32 = { flock_exclusive($0) }
    var lockByte: @Sendable (Int32, Int64) -> Int32 = { lock_byte($0, $1) }
}

import Glibc

/// Writes all bytes, however many calls that takes; waits where the descriptor does not block.
///
/// - Returns: the error number of a failure; nil if everything was written.
public func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { bytes in
        var remaining = bytes[...]
        while !remaining.isEmpty {
            let written = write(descriptor, UnsafeRawBufferPointer(rebasing: remaining).baseAddress, remaining.count)
            if written > 0 {
                remaining = remaining.dropFirst(written)
            } else if written == 0 {
                return EIO
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

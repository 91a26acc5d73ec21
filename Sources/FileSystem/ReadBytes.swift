import Glibc

/// Reads `count` bytes from an offset on, however many calls that takes; fewer at the end of the file.
///
/// - Returns: nil, with `errno` set, if the file cannot be read.
public func readBytes(of descriptor: Int32, from offset: Int, count: Int) -> [UInt8]? {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, done in
        while done < count {
            let got = pread(descriptor, bytes.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
            if got < 0, errno == EINTR { continue }
            if got < 0 { failure = errno }
            if got <= 0 { break }
            done += got
        }
    }
    guard failure == 0 else {
        errno = failure
        return nil
    }
    return bytes
}

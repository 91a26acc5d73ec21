import Glibc

/// The names in a folder, without `.` and `..`, in no order.
///
/// - Returns: nil, with `errno` set, if the folder cannot be read.
public func folderNames(_ path: String) -> [String]? {
    guard let stream = opendir(path) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(stream) {
        // Swift imports the array as a tuple.
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
        errno = 0
    }
    return errno == 0 ? names : nil
}

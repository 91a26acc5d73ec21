import Glibc

/// The program that runs.
enum OwnProgram {
    /// Its path; empty if the system does not tell.
    static var path: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        return String(decoding: buffer[..<max(length, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static var folder: String { String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)) }
}

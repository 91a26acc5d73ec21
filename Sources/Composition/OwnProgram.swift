import FileSystem
import Glibc

/// The program that runs.
public enum OwnProgram {
    /// Its path; empty if the system does not tell.
    public static let path: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        return String(decoding: buffer[..<max(length, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    /// The path of a program of jimmy's beside it, such as `jimmy-serve`.
    public static func sibling(_ name: String) -> String {
        "\(path.containingFolder ?? "")/\(name)"
    }
}

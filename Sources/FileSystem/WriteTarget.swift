import Glibc

/// What a path stands for when a file is written: the end of its symbolic links.
public enum WriteTarget: Equatable, Sendable {
    /// A path whose last component is no symbolic link. The file may not exist yet.
    case path(String)
    /// An open descriptor of this process, such as `/dev/stdout`. Its file must not be replaced.
    case descriptor(Int32)

    /// - Returns: nil, with `errno` set, if a folder does not exist or the links do not end.
    public init?(_ path: String) {
        var path = path
        for _ in 0..<40 {
            let slash = path.lastIndex(of: "/")
            let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
            guard let resolved = realpath(path.containingFolder ?? ".", nil) else { return nil }
            defer { free(resolved) }
            let folder = String(cString: resolved)
            if folder == "/proc/\(getpid())/fd", let number = Int32(name) {
                self = .descriptor(number)
                return
            }
            path = folder == "/" ? "/" + name : "\(folder)/\(name)"
            var target = [CChar](repeating: 0, count: Int(PATH_MAX))
            let length = readlink(path, &target, target.count)
            guard length >= 0 else {
                self = .path(path)
                return
            }
            let link = String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            path = link.hasPrefix("/") ? link : "\(folder)/\(link)"
        }
        errno = ELOOP
        return nil
    }
}

import Glibc

/// The user's folders and variables, from the environment.
public enum Environment {
    /// The value of a variable; nil if it is unset or empty.
    public static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// jimmy's folder in one of the base folders of the XDG Base Directory Specification, which says that relative
    /// paths are ignored.
    public static func folder(_ name: String, _ fallback: String) -> String {
        if let root = variable(name), root.hasPrefix("/") { return root + "/jimmy" }
        return "\(home)/\(fallback)/jimmy"
    }

    /// The home folder, from the environment or the system's user database.
    public static var home: String {
        if let home = variable("HOME"), home.hasPrefix("/") { return home }
        return getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) } ?? ""
    }

    /// The absolute path, without trailing slashes.
    public static func absolute(_ path: String) -> String {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }

    /// The program that displays long output if no setting names one.
    public static var pager: String { variable("PAGER") ?? "less" }
}

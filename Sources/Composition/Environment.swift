import Glibc
import Presentation

/// The user's folders and variables, from the environment.
public enum Environment {
    /// The value of a variable; nil if it is unset or empty.
    public static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// The variables for jimmy whose values are not UTF-8.
    public static var foreignVariables: [String] {
        let settings = Setting.allCases.map(\.variable)
        return (["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DOWNLOAD_DIR"] + settings).filter { name in
            getenv(name).map { String(validatingCString: $0) == nil } ?? false
        }
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
        // In a folder whose name is not UTF-8, only the relative path names the file.
        return String(validatingCString: here).map { $0 + "/" + path } ?? path
    }

    /// The program that displays long output if no setting names one.
    public static var pager: String { variable("PAGER") ?? "less" }
}

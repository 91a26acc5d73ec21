import Glibc
public import Presentation

/// The settings file: lines `name = value`, and comments on lines that start with `#`.
///
/// Values need no quotes, so a shell command is written as it is typed, and any editor and `grep` can work with it.
public enum SettingsFile {
    public static var path: String { Environment.folder("XDG_CONFIG_HOME", ".config") + "/config" }

    /// The settings in the file, in order; none if the file does not exist.
    ///
    /// - Throws: `SettingsFailure`, `FailureLine`.
    public static func read(_ path: String) throws -> [(setting: Setting, text: String, origin: SettingOrigin)] {
        let lines = try text(path).split(omittingEmptySubsequences: false) { $0.isNewline }
        return try lines.enumerated().compactMap { number, line in
            let line = line.trimmed
            guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
            if line.hasPrefix(NamedQueries.prefix), let equals = line.firstIndex(of: "="),
                NamedQueries.name(in: line[..<equals].trimmed) != nil
            {
                return nil
            }
            let origin = SettingOrigin.file(path: path, line: number + 1)
            let (setting, text) = try assignment(line, origin)
            return (setting, text, origin)
        }
    }

    /// The file's text without a byte order mark; empty if it does not exist.
    ///
    /// - Throws: `FailureLine`.
    public static func text(_ path: String = path) throws -> String {
        guard access(path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else { return "" }
        let bytes = try UserFile(path).read()
        return String(decoding: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...], as: UTF8.self)
    }

    /// Replaces the file, creating its folders if needed.
    ///
    /// - Throws: `FailureLine`.
    public static func write(_ text: String) throws {
        for slash in path.indices.dropFirst() where path[slash] == "/" {
            let folder = String(path[..<slash])
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST || access(folder, F_OK) == 0 else {
                throw FailureLine(writing: folder, errno: errno)
            }
        }
        try UserFile(path).replace(with: Array(text.utf8))
    }

    /// - Throws: `SettingsFailure`.
    public static func setting(_ name: String, _ origin: SettingOrigin) throws -> Setting {
        guard let setting = Setting(rawValue: name) else { throw SettingsFailure.unknown(name: name, origin) }
        return setting
    }

    /// Parses `name = value`, in the file and after `--set`.
    public static func assignment(_ line: some StringProtocol, _ origin: SettingOrigin) throws -> (Setting, String) {
        guard let equals = line.firstIndex(of: "=") else { throw SettingsFailure.noSetting(origin) }
        return (try setting(String(line[..<equals].trimmed), origin), String(line[line.index(after: equals)...].trimmed))
    }
}

extension Settings {
    /// The settings for a run with these options: `--library` and each `--set`.
    ///
    /// - Throws: `SettingsFailure`, `FailureLine`.
    public init(library: String?, assignments: [String] = []) throws {
        for (setting, text, origin) in try SettingsFile.read(SettingsFile.path) { try set(setting, to: text, from: origin) }
        for (name, query, _) in try NamedQueries.read() { queries[name] = query }
        for setting in Setting.allCases {
            guard let value = getenv(setting.variable) else { continue }
            let text = String(cString: value)
            // An empty variable counts as unset, except for the pager, where it means none.
            guard !text.isEmpty || setting == .pager else { continue }
            try set(setting, to: text, from: .environment(variable: setting.variable))
        }
        for assignment in assignments {
            let (setting, text) = try SettingsFile.assignment(assignment, .option(name: "--set"))
            try set(setting, to: text, from: .option(name: "--set"))
        }
        if let library { try set(.library, to: library, from: .option(name: "--library")) }
    }
}

extension StringProtocol {
    fileprivate var trimmed: Substring {
        let start = firstIndex { !$0.isWhitespace } ?? endIndex
        let end = lastIndex { !$0.isWhitespace }.map(index(after:)) ?? start
        return Substring(self[start..<end])
    }
}

import Glibc
import Presentation

/// `config` in jimmy's folder of settings: lines `name = value`, and comments on lines that begin with `#`.
///
/// The form of git's and newsboat's simplest lines: nothing needs quotes, so that a shell command can stand there as it
/// is typed, and any editor and `grep` can work with it.
enum SettingsFile {
    static var path: String { Composition.folder("XDG_CONFIG_HOME", ".config") + "/config" }

    /// The settings in it, in order; none where there is no file.
    ///
    /// - Throws: `SettingsFailure`, `FailureLine`.
    static func read(_ path: String) throws -> [(setting: Setting, text: String, origin: SettingOrigin)] {
        guard access(path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR else { return [] }
        let text = String(decoding: try UserFile(path).read(), as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        return try lines.enumerated().compactMap { number, line in
            let line = line.trimmed
            guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
            let origin = SettingOrigin.file(path: path, line: number + 1)
            let (setting, text) = try assignment(line, origin)
            return (setting, text, origin)
        }
    }

    /// `name = value`, here and after `--set`.
    static func assignment(_ line: some StringProtocol, _ origin: SettingOrigin) throws -> (Setting, String) {
        guard let equals = line.firstIndex(of: "=") else { throw SettingsFailure.noSetting(origin) }
        let name = line[..<equals].trimmed
        guard let setting = Setting(rawValue: String(name)) else {
            throw SettingsFailure.unknown(name: String(name), origin)
        }
        return (setting, String(line[line.index(after: equals)...].trimmed))
    }
}

extension Settings {
    /// What is in force for a run with these options: `--library`, and each `--set`.
    ///
    /// - Throws: `SettingsFailure`, `FailureLine`.
    init(library: String?, assignments: [String] = []) throws {
        for (setting, text, origin) in try SettingsFile.read(SettingsFile.path) { try set(setting, to: text, from: origin) }
        for setting in Setting.allCases {
            guard let value = getenv(setting.variable) else { continue }
            let text = String(cString: value)
            // An empty variable is as good as none, but for the pager, where it means that none is wanted.
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

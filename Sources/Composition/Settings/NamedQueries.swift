public import Domain
import Glibc
import Presentation

/// Queries that the settings file names: lines such as `query.commute = is:new shorter:30m`.
public enum NamedQueries {
    public static let prefix = "query."

    /// The name of the query that a setting defines; nil for other settings.
    public static func name(in setting: some StringProtocol) -> String? {
        guard setting.hasPrefix(prefix) else { return nil }
        return Tag(setting.dropFirst(prefix.count))?.text
    }

    /// The queries in a settings file, with their lines.
    ///
    /// - Throws: `FailureLine`.
    public static func read(_ path: String = SettingsFile.path) throws -> [(name: String, query: String, line: Int)] {
        let lines = try SettingsFile.text(path).split(omittingEmptySubsequences: false) { $0.isNewline }
        return lines.enumerated().compactMap { number, line in
            guard let equals = line.firstIndex(of: "="),
                let name = name(in: String(line[..<equals]).filter { !$0.isWhitespace })
            else { return nil }
            let query = line[line.index(after: equals)...].drop { $0.isWhitespace }
            return (name, String(query), number + 1)
        }
    }
}

extension Timestamp {
    /// Seconds by which the user's clock is ahead of UTC at this moment.
    public var zone: Int64 {
        var time = time_t(seconds)
        var local = tm()
        return localtime_r(&time, &local) == nil ? 0 : Int64(local.tm_gmtoff)
    }
}

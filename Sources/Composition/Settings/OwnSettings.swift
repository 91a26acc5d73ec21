public import Domain
import Presentation

/// The settings file, for undo.
public struct OwnSettings: SettingsRepository {
    public init() {}

    public func value(of name: String) throws -> String? {
        if let query = NamedQueries.name(in: name) { return try NamedQueries.read().last { $0.name == query }?.query }
        return try SettingsFile.read(SettingsFile.path).last { $0.setting.rawValue == name }?.text
    }

    public func set(_ name: String, to value: String?) throws {
        try SettingsFile.write(SettingsTemplate.text(try SettingsFile.text(), name, value))
    }
}

/// The owner's settings on this machine, by name; a named query is `query.NAME`.
public protocol SettingsRepository: Sendable {
    /// nil for the default.
    func value(of name: String) throws -> String?
    /// - Parameter value: nil restores the default.
    func set(_ name: String, to value: String?) throws
}

import ArgumentParser
import Composition
import Domain
import Glibc
import Presentation
import Searching
import UseCases

struct Config: Command {
    static let configuration = CommandConfiguration(
        commandName: "config", _superCommandName: "jimmy",
        abstract: "Show the current settings and where each comes from, or change one.",
        usage: """
            jimmy config [<name>] [<options>]
            jimmy config set <name> <value>
            jimmy config unset <name>
            jimmy config --init
            """,
        discussion: """
            Settings are lines 'name = value' in ~/.config/jimmy/config; environment variables and options take precedence. \
            'jimmy help settings' explains them all. In a pipe: name, value, origin, separated by tabs.

              jimmy config
              jimmy config --init
              jimmy config concurrency
              jimmy config set concurrency 8
              jimmy config set query.commute 'is:new shorter:30m'
              JIMMY_CONCURRENCY=8 jimmy config --json
            """)

    @Argument(
        help: ArgumentHelp(
            "Show only this setting; 'set' changes it in the settings file, 'unset' restores its default.", valueName: "name"),
        completion: .list(["set", "unset"] + Setting.allCases.map(\.rawValue)))
    var words: [String] = []

    @Flag(name: .customLong("init"), help: "Write a settings file that explains every setting and changes none.")
    var initialize = false

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        switch (words.first, words.count, initialize) {
        case (nil, _, true): try initialize(context)
        case (nil, _, false): show(nil, context)
        case ("set", 3, false): try await change(words[1], to: words[2], context)
        case ("unset", 2, false): try await change(words[1], to: nil, context)
        case (let name?, 1, false) where NamedQueries.name(in: name) != nil:
            guard let query = context.settings.queries[NamedQueries.name(in: name) ?? ""] else {
                throw FailureLine(name, "no such named query", status: .notFound, advice: "'jimmy config' lists them")
            }
            context.console.print(query.exactLine)
        case (let name?, 1, false) where name != "set" && name != "unset":
            show(try SettingsFile.setting(name, .option(name: "config")), context)
        default:
            throw FailureLine(
                "config", "give a name, 'set NAME VALUE', 'unset NAME' or --init", status: .usage,
                advice: "see 'jimmy config --help'")
        }
        return .done
    }

    private func show(_ setting: Setting?, _ context: Context) {
        let entries = context.composition.settingsInForce.filter { setting == nil || $0.setting == setting }
        if setting != nil, !context.options.json {
            for entry in entries { context.console.print(entry.text.exactLine) }
            return
        }
        context.console.show(SettingsView(entries))
        for (name, query, line) in (try? NamedQueries.read()) ?? [] {
            context.console.show(SettingsView.NamedQuery(name, query, file: SettingsFile.path, line: line))
        }
        if context.console.display.isTerminal, access(SettingsFile.path, F_OK) != 0 {
            context.console.note("There is no settings file; 'jimmy config --init' writes one.")
        }
    }

    private func initialize(_ context: Context) throws {
        let path = SettingsFile.path
        guard access(path, F_OK) != 0 else {
            throw FailureLine(
                path, "already exists; not overwritten", status: .incomplete, advice: "'jimmy config set' changes a setting")
        }
        try SettingsFile.write(SettingsTemplate.text(Composition(Settings()).settingsInForce))
        context.console.note("Wrote \(path); it explains every setting.")
    }

    /// - Parameter value: the new value; nil restores the default.
    private func change(_ name: String, to value: String?, _ context: Context) async throws {
        if let query = NamedQueries.name(in: name) { return try await change(query: query, to: value, context) }
        let setting = try SettingsFile.setting(name, .option(name: "config \(words[0])"))
        if let value {
            guard !value.contains(where: \.isNewline) else {
                throw SettingsFailure.badValue(setting, text: value, .option(name: "config set"))
            }
            // The value must be valid in the file, where relative paths are not allowed.
            var settings = Settings()
            do {
                try settings.set(setting, to: value, from: .file(path: SettingsFile.path, line: 0))
            } catch {
                throw SettingsFailure.badValue(setting, text: value, .option(name: "config set"))
            }
        }
        // A password belongs into no other file, and a library's steps are in that library.
        if !setting.isSecret, setting != .library { try await record(setting.rawValue, to: value, context) }
        try OwnSettings().set(setting.rawValue, to: value)
        context.console.note(SettingsTemplate.changed(setting, to: value))
    }

    /// Leaves the step that takes the change back. Settings can be changed before there is a library, and without it.
    private func record(_ name: String, to value: String?, _ context: Context) async throws {
        let change = SettingReversal(name, before: try OwnSettings().value(of: name), after: value)
        guard change.before != change.after, context.composition.isBegun else { return }
        do {
            try await context.composition.open(.write).undo.recordSetting(change, now: context.now)
        } catch DatabaseFailure.absent {
            // No library was begun in the database, either.
        } catch {
            context.console.note("'jimmy undo' will not take this back, because the library cannot be written.")
        }
    }

    private func change(query name: String, to value: String?, _ context: Context) async throws {
        if let value {
            let meant = context.composition.expansion.expanded(value, now: context.now)
            let parsed = SearchQuery(text: meant, now: context.now)
            if let refusal = FailureLine(refusing: parsed, for: "config set") { throw refusal }
            guard !value.contains(where: \.isNewline), value.contains(where: { !$0.isWhitespace }) else {
                throw FailureLine("config set", "a named query is one line of text", status: .usage)
            }
        } else if context.settings.queries[name] == nil {
            throw FailureLine("query.\(name)", "no such named query", status: .notFound, advice: "'jimmy config' lists them")
        }
        try await record(NamedQueries.prefix + name, to: value, context)
        try OwnSettings().set(NamedQueries.prefix + name, to: value)
        context.console.note(SettingsTemplate.changed(query: name, to: value))
    }
}

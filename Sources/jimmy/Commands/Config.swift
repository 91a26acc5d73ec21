import ArgumentParser
import Glibc
import Presentation

struct Config: Action {
    static let configuration = CommandConfiguration(
        commandName: "config", _superCommandName: "jimmy",
        abstract: "Shows the settings that are in force, and where each comes from.",
        discussion: """
            Settings are lines 'name = value' in ~/.config/jimmy/config; environment variables and options win over them. \
            'jimmy help settings' explains them all. In a pipe: name, value, origin, with tabs between them.

              jimmy config
              jimmy config --init
              jimmy config concurrency
              JIMMY_CONCURRENCY=8 jimmy config --json
            """)

    @Argument(
        help: ArgumentHelp("Only the value of this setting.", valueName: "name"),
        completion: .list(Setting.allCases.map(\.rawValue)))
    var name: Setting?

    @Flag(name: .customLong("init"), help: "Write a settings file in which everything is explained and nothing is set.")
    var initialize = false

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func validate() throws {
        if initialize, name != nil { throw ValidationError("Give a name or --init, not both") }
    }

    func run(_ context: Context) throws -> ExitStatus {
        if initialize { return try write(context) }
        let entries = context.composition.settingsInForce
        if let name, !context.options.json {
            for entry in entries where entry.setting == name { context.console.print(entry.text.oneLine) }
        } else {
            context.console.show(SettingsView(entries.filter { name == nil || $0.setting == name }))
            if context.console.display.isTerminal, access(SettingsFile.path, F_OK) != 0 {
                context.console.note("There is no settings file; 'jimmy config --init' writes one.")
            }
        }
        return .done
    }

    private func write(_ context: Context) throws -> ExitStatus {
        let path = SettingsFile.path
        guard access(path, F_OK) != 0 else {
            throw FailureLine(path, "it is there already", status: .incomplete, advice: "'jimmy config' shows what is in force")
        }
        try makeFolders(of: path)
        let usual = Composition(Settings()).settingsInForce
        try UserFile(path).replace(with: Array(SettingsTemplate.text(usual).utf8))
        context.console.note("Everything that can be set is explained in \(path).")
        return .done
    }

    private func makeFolders(of path: String) throws {
        for slash in path.indices.dropFirst() where path[slash] == "/" {
            let folder = String(path[..<slash])
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST || access(folder, F_OK) == 0 else {
                throw FailureLine(writing: folder, errno: errno)
            }
        }
    }
}

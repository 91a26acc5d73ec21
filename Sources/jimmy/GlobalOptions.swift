import ArgumentParser
import Composition

/// Options that every command has.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use the library in this folder, or in the database at this postgresql:// address.",
            discussion: "Default: $JIMMY_LIBRARY, your setting, $XDG_DATA_HOME/jimmy, or ~/.local/share/jimmy.",
            valueName: "dir"),
        completion: .directory)
    var library: String?

    @Flag(help: "Print JSON: JSON Lines for lists, one object for a single result.")
    var json = false

    @Flag(name: [.short, .long], help: "Print no progress and no notes; errors are still reported.")
    var quiet = false

    @Flag(name: .customLong("no-progress"), help: "Show no progress display.")
    var noProgress = false

    @Option(help: ArgumentHelp("Change a setting for this run; 'jimmy config' lists all settings.", valueName: "name=value"))
    var set: [String] = []

    /// The same, apart from the parser.
    struct Values: Sendable {
        var library: String?
        var json = false
        var quiet = false
        var noProgress = false
        var set: [String] = []
    }

    var values: Values { Values(library: library, json: json, quiet: quiet, noProgress: noProgress, set: set) }

    static let flags = ["--json", "--quiet", "-q", "--no-progress"]
    /// Options whose value follows as the next argument or after `=`.
    static let namesWithValues = ["--library", "--set"]

    /// The index of the command after any of these options; nil if another option precedes it.
    static func indexOfCommand(in arguments: [String]) -> Int? {
        var index = 0
        while index < arguments.count {
            let argument = arguments[index]
            if namesWithValues.contains(argument) {
                index += 2
            } else if flags.contains(argument) || namesWithValues.contains(where: { argument.hasPrefix($0 + "=") }) {
                index += 1
            } else {
                return argument.hasPrefix("-") ? nil : index
            }
        }
        return nil
    }

    func validate() throws {
        if library == "" { throw ValidationError("--library needs a folder") }
    }
}

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

    func validate() throws {
        if library == "" { throw ValidationError("--library needs a folder") }
    }
}

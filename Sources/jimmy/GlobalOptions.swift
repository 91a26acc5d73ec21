import ArgumentParser

/// Options that every command has.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the library lives.",
            discussion: "Default: $JIMMY_LIBRARY, else the setting, else $XDG_DATA_HOME/jimmy, else ~/.local/share/jimmy.",
            valueName: "dir"),
        completion: .directory)
    var library: String?

    @Flag(help: "Print JSON: lists as JSON Lines, single results as one object.")
    var json = false

    @Flag(name: [.short, .long], help: "No progress and no notes; errors are still told.")
    var quiet = false

    @Flag(name: .customLong("no-progress"), help: "No progress display.")
    var noProgress = false

    @Option(help: ArgumentHelp("A setting for this run only; 'jimmy config' lists them all.", valueName: "name=value"))
    var set: [String] = []

    func validate() throws {
        if library == "" { throw ValidationError("The value of '--library <dir>' is empty") }
    }
}

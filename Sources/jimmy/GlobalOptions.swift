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

    /// What a line without any of them has.
    static var none: GlobalOptions {
        var options = GlobalOptions()
        (options.library, options.json, options.quiet, options.noProgress, options.set) = (nil, false, false, false, [])
        return options
    }

    static let flags = ["--json", "--quiet", "-q", "--no-progress"]
    /// Their values follow, or are attached with `=`.
    static let namesWithValues = ["--library", "--set"]

    /// Where behind options of this kind a line has its command; nil where something else stands before it.
    static func placeOfCommand(in arguments: [String]) -> Int? {
        var place = 0
        while place < arguments.count {
            let argument = arguments[place]
            if namesWithValues.contains(argument) {
                place += 2
            } else if flags.contains(argument) || namesWithValues.contains(where: { argument.hasPrefix($0 + "=") }) {
                place += 1
            } else {
                return argument.hasPrefix("-") ? nil : place
            }
        }
        return nil
    }

    func validate() throws {
        if library == "" { throw ValidationError("--library needs a folder") }
    }
}

/// Moves the words of some commands after a `--`, since the parser takes each that begins with a hyphen for an option: in
/// `jimmy search -is:queued` it excludes something, and in `jimmy tag +a -b` it is a tag to remove.
enum WordArguments {
    /// The options of a command that have values, and those with one hyphen.
    private typealias Options = (withValues: [String], short: [String])

    private static let ofQueries: Options = (
        ["--podcast", "--since", "--until", "--sort", "--limit", "--facets"] + GlobalOptions.namesWithValues, ["-q", "-h"]
    )
    private static let ofTags: Options = (["--query"] + GlobalOptions.namesWithValues, [])

    static func rewritten(_ arguments: [String]) -> [String] {
        guard let index = GlobalOptions.indexOfCommand(in: arguments) else { return arguments }
        let (command, after) = (Array(arguments[...index]), arguments[(index + 1)...])
        switch arguments[index] {
        case "search", "export":
            var (options, words) = split(after, ofQueries)
            guard words.contains(where: { $0.hasPrefix("-") }) else { return arguments }
            // The format precedes the query.
            if arguments[index] == "export", !words[0].hasPrefix("-") { options.append(words.removeFirst()) }
            return command + options + ["--"] + words
        case "tag":
            let (options, words) = split(after, ofTags)
            return command + options + (words.isEmpty ? [] : ["--"] + words)
        default: return arguments
        }
    }

    private static func split(_ arguments: ArraySlice<String>, _ declared: Options) -> (options: [String], words: [String]) {
        var (options, words, remaining): ([String], [String], ArraySlice<String>) = ([], [], arguments)
        while let argument = remaining.popFirst() {
            if argument == "--" { return (options, words + remaining) }
            if declared.withValues.contains(argument), let value = remaining.popFirst() {
                options.append("\(argument)=\(value)")
            } else if argument.hasPrefix("--") || declared.short.contains(argument) {
                options.append(argument)
            } else {
                words.append(argument)
            }
        }
        return (options, words)
    }
}

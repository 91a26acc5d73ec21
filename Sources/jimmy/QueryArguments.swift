/// Rewrites `jimmy search -is:queued`, in which a word with one hyphen excludes something, and is never an option.
///
/// The parser takes such words for options, so all words are moved after a `--`, in their order.
enum QueryArguments {
    private static let optionsWithValues =
        Set(["--podcast", "--since", "--until", "--sort", "--limit", "--facets"] + GlobalOptions.namesWithValues)
    private static let shortOptions: Set = ["-q", "-h"]

    static func rewritten(_ arguments: [String]) -> [String] {
        guard let index = GlobalOptions.indexOfCommand(in: arguments), ["search", "export"].contains(arguments[index]) else {
            return arguments
        }
        var options = Array(arguments[...index])
        var words: [String] = []
        var remaining = arguments[(index + 1)...]
        while let argument = remaining.popFirst() {
            if argument == "--" {
                words += remaining
                break
            } else if optionsWithValues.contains(argument), let value = remaining.popFirst() {
                options += [argument, value]
            } else if argument.hasPrefix("--") || shortOptions.contains(argument) {
                options.append(argument)
            } else {
                words.append(argument)
            }
        }
        guard words.contains(where: { $0.hasPrefix("-") }) else { return arguments }
        // The format precedes the query.
        if arguments[index] == "export", !words[0].hasPrefix("-") { options.append(words.removeFirst()) }
        return options + ["--"] + words
    }
}

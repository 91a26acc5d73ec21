/// Rewrites `jimmy tag +a -b`, in which a word with one hyphen is a tag to remove, never an option.
///
/// The parser takes such words for options, so they are moved after a `--`.
enum TagArguments {
    private static let optionsWithValues = GlobalOptions.namesWithValues + ["--query"]

    static func rewritten(_ arguments: [String]) -> [String] {
        guard let index = GlobalOptions.indexOfCommand(in: arguments), arguments[index] == "tag" else { return arguments }
        var options = Array(arguments[...index])
        var words: [String] = []
        var remaining = arguments[(index + 1)...]
        while let argument = remaining.popFirst() {
            if argument == "--" {
                words += remaining
                break
            } else if !argument.hasPrefix("--") {
                words.append(argument)
            } else if optionsWithValues.contains(argument), let value = remaining.popFirst() {
                options.append("\(argument)=\(value)")
            } else {
                options.append(argument)
            }
        }
        return words.isEmpty ? options : options + ["--"] + words
    }
}

/// `jimmy tag +a -b`: a word with one hyphen is a tag to remove, never an option.
///
/// The parser takes such words for options, so they are put behind a `--`.
enum TagArguments {
    private static let optionsWithValues = GlobalOptions.namesWithValues + ["--query"]

    static func rewritten(_ arguments: [String]) -> [String] {
        guard let index = GlobalOptions.placeOfCommand(in: arguments), arguments[index] == "tag" else { return arguments }
        var options = Array(arguments[...index])
        var words: [String] = []
        var rest = arguments[(index + 1)...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                break
            } else if !argument.hasPrefix("--") {
                words.append(argument)
            } else if optionsWithValues.contains(argument), let value = rest.popFirst() {
                options.append("\(argument)=\(value)")
            } else {
                options.append(argument)
            }
        }
        return words.isEmpty ? options : options + ["--"] + words
    }
}

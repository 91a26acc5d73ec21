import ArgumentParser
import Composition
import Domain
import Parsing
import Presentation

/// `jimmy parse`: prints a feed document as a JSON object, without using the network or the library.
struct Parse: Command {
    static let configuration = CommandConfiguration(
        commandName: "parse", _superCommandName: "jimmy",
        abstract: "Print a feed document as JSON.",
        discussion: """
            Reads one RSS, RDF, Atom or JSON Feed document, without using the network or the library. Exits 65 if it is not \
            a feed. 'jimmy help formats' explains the keys.

              curl -s https://example.com/feed.xml | jimmy parse --pretty -
            """)

    @Argument(help: ArgumentHelp("The document; '-' means standard input.", valueName: "file"))
    var file: String

    @Option(help: "The document's URL, which relative links are resolved against.")
    var baseURL: String?

    @Option(help: "The media type sent by the server; its charset is honoured.")
    var contentType: String?

    @Flag(help: "Indent the output.")
    var pretty = false

    @OptionGroup var options: GlobalOptions

    var subject: String { UserFile(file).name }

    func run(_ context: Context) throws -> ExitStatus {
        let file = UserFile(file)
        let hints = ParseHints(baseURL: baseURL, contentType: contentType)
        let parser = FeedParser(hints, readAgain: file.isRegular ? { try? file.read() } : nil)
        try file.read { parser.push($0) }
        ParsedFeedJSON(try parser.finish(), pretty: pretty).write(context.console.write)
        return .done
    }
}

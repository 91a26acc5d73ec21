import ArgumentParser
import Domain
import Parsing
import Presentation

/// `jimmy parse`: one feed document to one JSON object; no network, no library.
struct Parse: Action {
    static let configuration = CommandConfiguration(
        commandName: "parse", _superCommandName: "jimmy",
        abstract: "Prints a feed document as JSON.",
        discussion: """
            Reads one RSS, RDF, Atom or JSON Feed document; neither the network nor the library is touched. \
            Exits 65 where it is no feed. The keys are explained by 'jimmy help formats'.

              curl -s https://example.com/feed.xml | jimmy parse --pretty -
            """)

    @Argument(help: ArgumentHelp("The document; '-' is standard input.", valueName: "file"))
    var file: String

    @Option(help: "The document's own URL, for relative links in it.")
    var baseURL: String?

    @Option(help: "Its media type, as a server sent it; a charset in it counts.")
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

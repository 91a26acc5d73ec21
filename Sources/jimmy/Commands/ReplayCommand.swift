import ArgumentParser
import Composition
import Domain
import Fetching
import Presentation
import Recording

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Inspect a recorded refresh.",
        discussion: """
            'jimmy refresh --record FILE' makes a recording, 'jimmy refresh --replay FILE --library COPY' repeats it on a copy \
            of the library from before the run. Attach it to a bug report: users, passwords and tokens are replaced in it.

              jimmy replay show night.rec
              jimmy replay extract night.rec feed.xml | jimmy parse -
            """,
        subcommands: [Show.self, Extract.self])

    struct Show: Command {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Print the contents of a recording.",
            discussion: """
                In a pipe, a line for each fetch: id of the podcast or episode, outcome, bytes, milliseconds, and URL, separated by tabs.

                  jimmy replay show night.rec
                """)

        @Argument(help: ArgumentHelp("The recording.", valueName: "file"), completion: .file())
        var file: String

        @Option(help: ArgumentHelp("Print the document of this feed, an id or part of its URL.", valueName: "feed"))
        var extract: String?

        @OptionGroup var options: GlobalOptions

        var subject: String { file }
        var pages: Bool { extract == nil }

        func run(_ context: Context) async throws -> ExitStatus {
            let recording = try Recording(file)
            if let extract { return try await Extraction(recording: recording, feed: extract).run(context.console) }
            context.console.show(RecordingView(recording.summary))
            if let damage = recording.summary.damage { throw damage }
            return .done
        }
    }

    struct Extract: Command {
        static let configuration = CommandConfiguration(
            commandName: "extract",
            abstract: "Print the document of one feed, as its server sent it.",
            discussion: """
                It can also be a transcript, a chapters file or an older page, given by part of its URL. Compression is undone. Replaced text, such as a token, stays replaced.

                  jimmy replay extract night.rec feed.xml | jimmy parse --pretty -
                """)

        @Argument(help: ArgumentHelp("The recording.", valueName: "file"), completion: .file())
        var file: String

        @Argument(help: ArgumentHelp("The podcast's id, or part of its URL.", valueName: "feed"))
        var feed: String

        @OptionGroup var options: GlobalOptions

        var subject: String { file }

        func run(_ context: Context) async throws -> ExitStatus {
            try await Extraction(recording: try Recording(file), feed: feed).run(context.console)
        }
    }
}

/// Extracts one feed's document through the fetcher, which undoes content encodings.
private struct Extraction {
    let recording: Recording
    let feed: String

    func run(_ console: Console) async throws -> ExitStatus {
        let extent = recording.podcast(feed).map { Replay.Extent.only($0) } ?? .whole
        let replay = try Replay(recording, extent, readHead: CurlFetcher.head)
        try await replay.extract(feed, by: CurlFetcher(userAgent: "", through: replay.wire)) { console.write($0) }
        return .done
    }
}

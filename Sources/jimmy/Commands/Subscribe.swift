import ArgumentParser
import Domain
import Glibc
import Presentation

struct Subscribe: Action {
    static let configuration = CommandConfiguration(
        commandName: "subscribe", _superCommandName: "jimmy",
        abstract: "Adds podcasts: fetches, checks and stores each URL.",
        discussion: """
            A URL is a feed, a web page that names its feed, or a page of Apple Podcasts or Podcast Index. \
            Without a scheme https is asked, and http where nothing answers there. Several URLs are fetched side by side. \
            Subscribing twice is no error.

              jimmy subscribe https://example.com/feed.xml
              jimmy subscribe --no-fetch pcast://example.com/feed.xml
            """)

    @Argument(help: ArgumentHelp("A feed, or a web page that names its feed.", valueName: "url"))
    var urls: [String]

    @Flag(name: .customLong("no-fetch"), help: "Only store the URL; the next refresh fetches it.")
    var noFetch = false

    @Option(help: ArgumentHelp("How long one feed may take; as set, else 60.", valueName: "seconds"))
    var timeout: Seconds?

    @OptionGroup var options: GlobalOptions

    var network: Bool { !noFetch }

    func run(_ context: Context) async throws -> ExitStatus {
        let subscribe = try await context.composition.open(.write).subscribe
        var limits = context.settings.fetchLimits
        if let timeout { limits.timeout = timeout.value }
        var failures: [FailureLine] = []
        var addresses: [String] = []
        for url in urls {
            do {
                addresses.append(try Self.address(url))
            } catch let failure as FailureLine {
                context.console.report(failure)
                failures.append(failure)
            }
        }
        try await subscribe.run(addresses, limits: limits, fetching: !noFetch) { outcome in
            let view = SubscribeView(outcome)
            context.console.show(view)
            context.console.flush()
            view.notes.forEach(context.console.note)
            if let failure = view.failure {
                context.console.report(failure)
                failures.append(failure)
            }
        }
        guard let first = failures.first else { return .done }
        return failures.count == urls.count ? first.status : .incomplete
    }

    /// What looks like a path, or is one, is a feed in a file.
    ///
    /// - Throws: `FailureLine` where there is no such file.
    private static func address(_ text: String) throws -> String {
        guard ["/", "./", "../"].contains(where: text.hasPrefix) || access(text, F_OK) == 0 else { return text }
        try UserFile(text).check()
        return FeedURL.file(path: Composition.absolute(text))?.url ?? text
    }
}

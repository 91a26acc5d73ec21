import Addresses
import ArgumentParser
import Composition
import Domain
import Glibc
import Presentation
import Results
import UseCases

struct Subscribe: Command {
    static let configuration = CommandConfiguration(
        commandName: "subscribe", _superCommandName: "jimmy",
        abstract: "Subscribe to podcasts: fetch, check and store each URL.",
        discussion: """
            A URL is a feed, a web page that links to its feed, or a page of Apple Podcasts or Podcast Index. Without a scheme, \
            https is tried first, then http. Several URLs are fetched at the same time. Subscribing twice is not an error. With \
            '-', reads URLs from standard input, one per line; empty lines and lines that begin with # are skipped.

              jimmy subscribe https://example.com/feed.xml
              jimmy subscribe --archive https://example.com/feed.xml
              jimmy subscribe --user me https://example.com/feed.xml < password.txt
              jimmy subscribe --no-fetch pcast://example.com/feed.xml
              jimmy subscribe - < urls.txt
            """)

    @Argument(
        help: ArgumentHelp(
            "A feed, or a web page that links to its feed; '-' reads URLs from standard input.", valueName: "url"))
    var urls: [String]

    @Flag(name: .customLong("no-fetch"), help: "Store the URL without fetching it; the next refresh will fetch it.")
    var noFetch = false

    @Flag(help: "Also read the older pages of feeds that are split into several (RFC 5005).")
    var archive = false

    @Option(help: ArgumentHelp("With --archive: read at most N older pages of each podcast. Default: 200.", valueName: "n"))
    var maxPages: Count?

    @Option(
        help: ArgumentHelp(
            "Sign in as this user; jimmy asks for the password or reads it from standard input. With one URL.",
            valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("Give up a feed after this many seconds. Default: your setting, or 60.", valueName: "seconds"))
    var timeout: Seconds?

    @OptionGroup var options: GlobalOptions

    var network: Bool { !noFetch }

    func validate() throws {
        if archive, noFetch { throw ValidationError("--archive and --no-fetch exclude each other") }
        if maxPages != nil, !archive { throw ValidationError("--max-pages needs --archive") }
        if let user {
            if urls.count != 1 || urls == ["-"] { throw ValidationError("--user signs in to one URL") }
            if user.isEmpty { throw ValidationError("The value '' is invalid for '--user <name>'") }
        }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        let urls = try listedURLs()
        if urls.isEmpty { context.console.note("There are no URLs on standard input.") }
        let credentials = try user.map { Credentials(user: $0, password: try Password.read(for: $0)) }
        let library = try await context.openOrCreate()
        let politeness = context.composition.politeness()
        var limits = context.settings.fetchLimits
        if let timeout { limits.timeout = timeout.value }
        var failures: [FailureLine] = []
        var addresses: [String] = []
        var (subscribed, outcomes): ([PodcastID], [SubscribeOutcome]) = ([], [])
        for url in urls {
            do {
                addresses.append(try Self.address(url))
            } catch let failure as FailureLine {
                context.console.report(failure)
                failures.append(failure)
            }
        }
        try await library.subscribe.run(
            addresses, politeness, limits: limits, newOnSubscribe: context.settings.newOnSubscribe.value, fetching: !noFetch,
            credentials: credentials
        ) { outcome in
            let view = SubscribeView(outcome, user: user)
            let display = await context.console.displayIfReadable(for: view, library.shorten)
            context.console.show(view, for: display)
            context.console.flush()
            if let podcast = outcome.podcast { subscribed.append(podcast.id) }
            outcomes.append(outcome)
            view.notes.forEach(context.console.note)
            if let failure = view.failure {
                context.console.report(failure)
                failures.append(failure)
            }
        }
        try await library.undo.recordAdded(outcomes, now: context.now)
        var isArchived = true
        if archive, !Task.isCancelled {
            let run = ArchiveRun(
                context: context, library: library, limits: limits, maxPages: maxPages?.value ?? ArchiveRun.usualPages)
            isArchived = try await run.run(subscribed, by: context.composition.fetcher(), politeness, shows: true)
        }
        guard let first = failures.first else { return isArchived ? .done : .incomplete }
        return failures.count == urls.count ? first.status : .incomplete
    }

    /// The arguments, followed by the lines of standard input if `-` is one of them.
    private func listedURLs() throws -> [String] {
        guard urls.contains("-") else { return urls }
        let lines = String(decoding: try UserFile("-").read(), as: UTF8.self).split(whereSeparator: \.isNewline)
        return urls.filter { $0 != "-" }
            + lines.filter { !$0.hasPrefix("#") && !$0.allSatisfy(\.isWhitespace) }.map(String.init)
    }

    /// An argument that names an existing file, or begins like a path, is read from disk.
    ///
    /// - Throws: `FailureLine` if there is no such file.
    private static func address(_ text: String) throws -> String {
        guard ["/", "./", "../"].contains(where: text.hasPrefix) || access(text, F_OK) == 0 else { return text }
        try UserFile(text).check()
        return FeedURL.file(path: Environment.absolute(text))?.url ?? text
    }
}

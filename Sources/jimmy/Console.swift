import Composition
import Domain
import FileSystem
import Glibc
import Presentation
import Synchronization
import UseCases

/// Standard output for results, standard error for everything else.
///
/// An output error does not stop the work: it is remembered and becomes the exit status.
final class Console: Sendable {
    struct Options: Sendable {
        var json = false
        var quiet = false
        var progress = false
        /// Shows results that are longer than the screen.
        var pager: Pager?
    }

    let display: Display
    let options: Options
    private let output = Mutex(Output())

    private struct Output {
        var buffer: [UInt8] = []
        var failure: Int32?
        /// Printed after the results, which may be in a pager until then.
        var notes: [String] = []
    }

    init(display: Display, options: Options) {
        self.display = display
        self.options = options
    }

    // MARK: Results

    func show(_ view: some View) { show(view, for: display) }

    /// Shows a view with ids as short as the library allows, if people read it.
    func show(_ view: some View, _ shorten: ShortenIDs) async throws {
        show(view, for: try await display(for: view, shorten))
    }

    /// The display for `view`.
    func display(for view: some View, _ shorten: ShortenIDs) async throws -> Display {
        var display = display
        if display.isTerminal, !options.json {
            display.shortIDs = try await shorten(view.podcastIDs, view.episodeIDs)
        }
        return display
    }

    /// The display for a view of finished work, even if the library cannot be read now.
    func displayIfReadable(for view: some View, _ shorten: ShortenIDs) async -> Display {
        (try? await display(for: view, shorten)) ?? display
    }

    func show(_ view: some View, for display: Display) {
        if options.json {
            view.jsonLines(print)
        } else {
            view.lines(for: display).forEach(print)
        }
    }

    func print(_ line: String) {
        // Output for other programs does not depend on the locale.
        let line = display.isTerminal && !options.json ? Self.readable(line) : line
        write(Array(line.utf8) + [UInt8(ascii: "\n")])
    }

    func write(_ bytes: [UInt8]) {
        output.withLock { output in
            output.buffer += bytes
            if output.buffer.count >= 1 << 16, options.pager == nil { Self.flush(&output) }
        }
    }

    func flush() { output.withLock { Self.flush(&$0) } }

    /// Prints the remaining output. Returns the error number if not everything could be printed.
    func finish() async -> Int32? {
        let text = output.withLock { $0.buffer }
        let isShown =
            if let pager = options.pager, text.count(where: { $0 == UInt8(ascii: "\n") }) >= Terminal.height {
                await pager.show(text)
            } else {
                false
            }
        return output.withLock { output in
            if isShown { output.buffer.removeAll() }
            Self.flush(&output)
            output.notes.forEach(Self.tell)
            return output.failure
        }
    }

    private static func flush(_ output: inout Output) {
        defer { output.buffer.removeAll(keepingCapacity: true) }
        guard output.failure == nil else { return }
        output.failure = writeAll(output.buffer, to: STDOUT_FILENO)
    }

    // MARK: Everything else

    /// A note that is neither a result nor an error; printed after the results so far.
    func note(_ text: String) {
        guard !options.quiet else { return }
        output.withLock { output in
            if options.pager != nil {
                output.notes.append(text)
            } else {
                Self.flush(&output)
                Self.tell(text)
            }
        }
    }

    func report(_ failure: FailureLine) {
        flush()
        failure.lines.forEach(Self.tell)
    }

    /// Replaces the line at the bottom of the terminal.
    func draw(_ line: String) { _ = writeAll(Array("\r\u{1B}[K\(Self.readable(line))\r".utf8), to: STDERR_FILENO) }

    private static func readable(_ text: String) -> String { Terminal.isUTF8 ? text : text.inASCIIPunctuation }

    /// Prints a message, on a terminal with line breaks between words.
    static func tell(_ text: String) {
        let display = Display(isTerminal: isatty(STDERR_FILENO) == 1, width: Terminal.width, now: Timestamp(seconds: 0))
        _ = writeAll(Array((display.fitted(readable(text)).joined(separator: "\n") + "\n").utf8), to: STDERR_FILENO)
    }

    /// A closed standard descriptor would be reused by the next file that is opened, and results written into that file.
    static func reserveStandardDescriptors() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
        where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", mode)
        }
    }
}

import ArgumentParser
import CFiles
import Composition
import Domain
import Glibc
import Presentation
import Threads

/// The process: arguments in, exit status out.
@main
enum Main {
    static func main() {
        Console.reserveStandardDescriptors()
        signal(SIGPIPE, SIG_IGN)
        // At the file-size limit, a write then fails as it does on a full disk, instead of ending the process.
        signal(SIGXFSZ, SIG_IGN)
        if let failure = foreignText {
            failure.lines.forEach(Console.tell)
            exit(failure.status.rawValue)
        }
        let status = run(arguments)
        // The process ends now. A handler would run while the system tears it down.
        for number in [SIGINT, SIGTERM] { signal(number, SIG_IGN) }
        exit(status.rawValue)
    }

    /// The line for an argument or variable that is not UTF-8. As text it would name another file.
    private static var foreignText: FailureLine? {
        for index in 1..<max(argument_count(), 1) {
            guard let argument = argument_at(index), String(validatingCString: argument) == nil else { continue }
            return FailureLine(
                "argument \(index)", "not UTF-8: '\(String(cString: argument))'", status: .usage,
                advice: "names of files and folders that jimmy uses must be UTF-8")
        }
        for name in Environment.foreignVariables {
            return FailureLine(
                "$\(name)", "not UTF-8", status: .usage, advice: "names of files and folders that jimmy uses must be UTF-8")
        }
        return nil
    }

    /// The arguments without the program's name.
    private static var arguments: [String] {
        (1..<max(argument_count(), 1)).compactMap { argument_at($0).map { String(cString: $0) } }
    }

    private static func run(_ arguments: [String]) -> ExitStatus {
        if arguments.first == "serve" { return Serve.become(Array(arguments.dropFirst())) }
        let arguments = arguments == ["help", "help"] ? ["help"] : WordArguments.rewritten(arguments)
        if arguments.count == 2, arguments[0] == "help", let topic = HelpTopic(rawValue: arguments[1]) {
            return UsageReport.write(topic.text(width: Terminal.width))
        }
        if arguments.count > 1, arguments[0] == "help", !arguments[1].hasPrefix("-"), !Jimmy.names.contains(arguments[1]) {
            return UsageReport.unknownTopic(arguments[1])
        }
        if let status = UsageReport.unknownCommand(in: arguments) { return status }
        if arguments == ["--version"] { return UsageReport.write(Version.text) }
        if let action = Jimmy.parseAlone(arguments) { return run(action) }
        do {
            let command = try Jimmy.parseAsRoot(arguments)
            if let action = command as? any Action { return run(action) }
            return UsageReport.run(command)
        } catch {
            return UsageReport.print(error, for: arguments)
        }
    }

    private static func run(_ action: any Action) -> ExitStatus {
        if action.network, let errno = Descriptors.shortage {
            let failure = FailureLine(SystemFailure.call("open", errno: errno), doing: action.subject)
            failure.lines.forEach(Console.tell)
            return failure.status
        }
        tune_memory()
        Interrupts.prepare(endInOrder: action.endsInOrder, isService: action.isService)
        return BlockingThread.whileCallerWaits(onPool: action.network) { caller in
            await run(action, on: action.network ? nil : caller)
        }
    }

    private static func run(_ action: some Action, on thread: BlockingThread?) async -> ExitStatus {
        let context: Context
        do {
            context = try Context(action.globals, pages: action.pages, on: thread)
        } catch {
            let failure = FailureLine(error, doing: "settings")
            failure.lines.forEach(Console.tell)
            return failure.status
        }
        var status: ExitStatus
        do {
            if action.network { await Descriptors.reserveTimers() }
            status = try await Interrupts.cancelling(action.endsInOrder) { try await action.run(context) }
        } catch {
            let failure = FailureLine(context.composition.located(error), doing: action.subject)
            context.console.report(failure)
            status = failure.status
        }
        if let number = await context.console.finish() {
            // If the work itself failed, its status takes precedence.
            if status == .done || status == .incomplete { status = .diskFailed }
            // A reader that has seen enough, such as head, needs no message.
            if number != EPIPE { context.console.report(.unprintable(errno: number)) }
        }
        return Interrupts.received ?? status
    }
}

/// Something that jimmy does, as a command line says.
protocol Action: Sendable {
    var globals: GlobalOptions.Values { get }
    /// The subject of an error line if no narrower one is known.
    var subject: String { get }
    /// True if it fetches or replays fetches.
    var network: Bool { get }
    /// True if an interrupt must end it in order, because it has requests waiting for servers.
    var endsInOrder: Bool { get }
    /// True if the output may be longer than the screen.
    var pages: Bool { get }
    /// True if it runs until SIGTERM, which is not a failure then.
    var isService: Bool { get }

    func run(_ context: Context) async throws -> ExitStatus
}

extension Action {
    var network: Bool { false }
    var endsInOrder: Bool { network }
    var pages: Bool { false }
    var isService: Bool { false }
}

/// A command that does something, as opposed to one that only groups others.
protocol Command: ParsableCommand, Action {
    var options: GlobalOptions { get }
}

extension Command {
    var globals: GlobalOptions.Values { options.values }
    var subject: String { Self._commandName }
}

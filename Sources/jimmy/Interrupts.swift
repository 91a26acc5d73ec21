import Glibc
import Presentation
import Synchronization
import Threads

/// SIGINT and SIGTERM: work that waits for servers is cancelled and keeps what it has; all other work may be ended at any
/// moment, and ends at once.
enum Interrupts {
    private static let signal = Atomic<Int32>(0)

    /// The exit status of an interrupt; nil if none has come.
    static var received: ExitStatus? {
        switch signal.load(ordering: .acquiring) {
        case SIGINT: .interrupted
        case SIGTERM: .terminated
        default: nil
        }
    }

    /// Must be called before any other thread is started.
    static func prepare(endInOrder: Bool) {
        if endInOrder {
            // One thread waits for them; threads that are started later inherit the mask.
            var signals = both
            pthread_sigmask(SIG_BLOCK, &signals, nil)
        } else {
            for number in [SIGINT, SIGTERM] { Glibc.signal(number) { _exit(128 + $0) } }
        }
    }

    /// Runs `body`, and cancels it when an interrupt comes.
    static func cancelling<Result: Sendable>(
        _ isNeeded: Bool, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard isNeeded else { return try await body() }
        let work = Task { try await body() }
        startWaiting { work.cancel() }
        return try await work.value
    }

    private static var both: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        return signals
    }

    /// If no thread can be started to wait for them, the system handles interrupts.
    private static func startWaiting(_ cancel: @escaping @Sendable () -> Void) {
        try? startThread {
            var signals = Interrupts.both
            var number: Int32 = 0
            while sigwait(&signals, &number) == 0 {
                // A second interrupt ends the process at once.
                if Interrupts.signal.exchange(number, ordering: .acquiringAndReleasing) != 0 { _exit(128 + number) }
                cancel()
            }
        }
    }
}

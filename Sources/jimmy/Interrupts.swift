import Glibc
import Presentation
import Synchronization

/// SIGINT and SIGTERM: work that waits for servers is cancelled and ends in good order; all other work is safe to
/// end at any moment, and ends at once.
enum Interrupts {
    private static let signal = Atomic<Int32>(0)

    /// The exit status an interrupt asks for; nil where none came.
    static var received: ExitStatus? {
        switch signal.load(ordering: .acquiring) {
        case SIGINT: .interrupted
        case SIGTERM: .terminated
        default: nil
        }
    }

    static func watch<Result: Sendable>(
        _ endsInOrder: Bool, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard endsInOrder else {
            for number in [SIGINT, SIGTERM] { Glibc.signal(number) { _exit(128 + $0) } }
            return try await body()
        }
        block()
        let work = Task { try await body() }
        startThread { work.cancel() }
        return try await work.value
    }

    /// Signals are taken by one thread that waits for them; all others, started later, leave them alone.
    private static func block() {
        var signals = both
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private static var both: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        return signals
    }

    private static func startThread(_ cancel: @escaping @Sendable () -> Void) {
        let boxed = Unmanaged.passRetained(Box(cancel))
        var thread = pthread_t()
        let failed = pthread_create(&thread, nil, { argument in
            guard let argument else { return nil }
            let cancel = Unmanaged<Box>.fromOpaque(argument).takeRetainedValue()
            var signals = Interrupts.both
            var number: Int32 = 0
            while sigwait(&signals, &number) == 0 {
                // The second one means it.
                if Interrupts.signal.exchange(number, ordering: .acquiringAndReleasing) != 0 { _exit(128 + number) }
                cancel.run()
            }
            return nil
        }, boxed.toOpaque())
        if failed != 0 { boxed.release() } else { pthread_detach(thread) }
    }

    private final class Box: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

import Glibc
import Presentation
import Synchronization
import Threads

/// SIGINT and SIGTERM. Work that waits for servers is cancelled and stores what it has; all other work can be ended at
/// any moment, so it ends at once, unless another program is waited for.
enum Interrupts {
    private static let signal = Atomic<Int32>(0)
    private static let isService = Atomic<Bool>(false)
    /// True while the first interrupt is only noted.
    private static let isDeferred = Atomic<Bool>(false)
    /// The action to run at once, and the time that remains for requests under way.
    private static let ending = Mutex<(grace: Duration, begin: @Sendable () -> Void)?>(nil)
    /// Time after the cancellation at which the process exits even if it still waits, for example for an unresponsive
    /// database.
    private static let lastGrace = Duration.seconds(4)

    /// The exit status of an interrupt; nil if none has come.
    static var received: ExitStatus? {
        switch signal.load(ordering: .acquiring) {
        case SIGINT: .interrupted
        case SIGTERM: isService.load(ordering: .relaxed) ? .done : .terminated
        default: nil
        }
    }

    /// Must be called before any other thread is started.
    ///
    /// - Parameter isService: true if SIGTERM is the normal way to end.
    static func prepare(endInOrder: Bool, isService: Bool) {
        Self.isService.store(isService, ordering: .relaxed)
        if endInOrder {
            // One thread waits for the signals; threads that are started later inherit the mask.
            var signals = both
            pthread_sigmask(SIG_BLOCK, &signals, nil)
        } else {
            // A handler must not be the first to use them.
            signal.store(0, ordering: .relaxed)
            isDeferred.store(false, ordering: .relaxed)
            for number in [SIGINT, SIGTERM] { Glibc.signal(number) { Interrupts.note($0) } }
        }
    }

    private static func note(_ number: Int32) {
        let isFirst = signal.exchange(number, ordering: .acquiringAndReleasing) == 0
        if !isFirst || !isDeferred.load(ordering: .acquiring) { _exit(128 + number) }
    }

    /// Runs `body`, which looks at `received`. A second interrupt ends the process at once.
    static func deferring<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        isDeferred.store(true, ordering: .releasing)
        defer { isDeferred.store(false, ordering: .releasing) }
        return try await body()
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

    /// From now on an interrupt calls `begin` at once, and the work is cancelled only after `grace`.
    static func endInOrder(within grace: Duration, _ begin: @escaping @Sendable () -> Void) {
        ending.withLock { $0 = (grace, begin) }
        if received != nil { begin() }
    }

    private static var both: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        sigaddset(&signals, SIGTERM)
        return signals
    }

    /// Starts the thread that waits for signals. If that fails, the system handles them.
    private static func startWaiting(_ cancel: @escaping @Sendable () -> Void) {
        try? startThread(for: .other) {
            var signals = Interrupts.both
            var number: Int32 = 0
            while sigwait(&signals, &number) != 0 {}
            Interrupts.signal.store(number, ordering: .releasing)
            guard let ending = Interrupts.ending.withLock({ $0 }) else {
                cancel()
                if sigwait(&signals, &number) == 0 { _exit(128 + number) }
                return
            }
            ending.begin()
            Interrupts.endAtSecond(for: ending.grace)
            cancel()
            Interrupts.endAtSecond(for: lastGrace)
            _exit(received?.rawValue ?? 0)
        }
    }

    /// Waits for the given time. A second interrupt ends the process at once.
    private static func endAtSecond(for time: Duration) {
        var signals = both
        var limit = timespec(tv_sec: Int(time.components.seconds), tv_nsec: 0)
        let number = sigtimedwait(&signals, nil, &limit)
        if number > 0 { _exit(128 + number) }
    }
}

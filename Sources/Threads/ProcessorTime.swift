import Glibc
import Synchronization

/// The purpose of a thread, for the account of processor time.
public enum ThreadPurpose: Int, CaseIterable, Sendable {
    case fetching, storing, indexing, other
}

/// Processor time of the process by the purpose of its threads, including threads that have ended.
public enum ProcessorTime {
    private struct Ledger {
        var running: [pthread_t: ThreadPurpose] = [:]
        /// Nanoseconds of threads that have ended.
        var ended = [Int](repeating: 0, count: ThreadPurpose.allCases.count)
    }
    private static let ledger = Mutex(Ledger())

    /// Nanoseconds used by the threads that were started for this purpose. Swift's own threads have no purpose.
    public static func spent(on purpose: ThreadPurpose) -> Int {
        ledger.withLock { ledger in
            // A thread leaves the ledger before it ends, so each one in it is alive.
            ledger.running.filter { $0.value == purpose }.reduce(ledger.ended[purpose.rawValue]) { sum, thread in
                var clock = clockid_t()
                return pthread_getcpuclockid(thread.key, &clock) == 0 ? sum + nanoseconds(clock) : sum
            }
        }
    }

    /// Nanoseconds used by all threads.
    public static var whole: Int { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

    /// Counts the calling thread while `body` runs.
    static func count(_ purpose: ThreadPurpose, _ body: () -> Void) {
        let thread = pthread_self()
        ledger.withLock { $0.running[thread] = purpose }
        body()
        ledger.withLock { ledger in
            ledger.running[thread] = nil
            ledger.ended[purpose.rawValue] += nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        }
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int {
        var time = timespec()
        return clock_gettime(clock, &time) == 0 ? time.tv_sec * 1_000_000_000 + time.tv_nsec : 0
    }
}

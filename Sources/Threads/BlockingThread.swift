public import Domain
import Glibc
import Synchronization

/// An executor with one thread, for actors whose calls block. Reading, writing and above all syncing files would starve
/// the cooperative pool, which has only one thread per core.
public final class BlockingThread: SerialExecutor, TaskExecutor {
    private let inbox = Inbox()
    private let isBorrowed: Bool

    /// Starts a new thread.
    ///
    /// - Throws: `SystemFailure` if the system cannot create a thread.
    public init(for purpose: ThreadPurpose) throws(SystemFailure) {
        isBorrowed = false
        try startThread(for: purpose) { [inbox] in inbox.run() }
    }

    private init(borrowed: Void) { isBorrowed = true }

    /// Runs asynchronous work from a synchronous `main` and waits for it.
    ///
    /// - Parameter onPool: true runs the work on Swift's thread pool. False runs it, and the actors that are given this
    ///   executor, on the calling thread (SE-0417): starting the pool and switching threads takes longer than all the
    ///   work of a command that only reads.
    public static func whileCallerWaits<Result: Sendable>(
        onPool: Bool, _ work: @escaping @Sendable (BlockingThread) async -> Result
    ) -> Result {
        let caller = BlockingThread(borrowed: ())
        let slot = Slot<Result>()
        Task(executorPreference: onPool ? nil : caller) {
            let result = await work(caller)
            slot.value.withLock { $0 = result }
            caller.inbox.close()
        }
        while true {
            caller.inbox.run()
            if let result = slot.value.withLock({ $0 }) { return result }
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Capturing `self` keeps the executor alive until its last job has ended.
        inbox.add { [self] in
            if isBorrowed {
                job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            } else {
                job.runSynchronously(on: asUnownedSerialExecutor())
            }
        }
    }

    deinit { inbox.close() }

    private final class Slot<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
}

/// A job queue with one consumer.
///
/// Unchecked because the compiler cannot see that `jobs` and `isClosed` are only accessed while `mutex` is held.
private final class Inbox: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let isFilled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [@Sendable () -> Void] = []
    private var isClosed = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(isFilled, nil)
    }

    deinit {
        pthread_cond_destroy(isFilled)
        pthread_mutex_destroy(mutex)
        isFilled.deallocate()
        mutex.deallocate()
    }

    func add(_ job: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        jobs.append(job)
        pthread_cond_signal(isFilled)
        pthread_mutex_unlock(mutex)
    }

    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_cond_signal(isFilled)
        pthread_mutex_unlock(mutex)
    }

    func run() {
        while let next = takeAll() {
            for job in next { job() }
        }
    }

    /// Waits for jobs; nil once the queue is closed and empty.
    private func takeAll() -> [@Sendable () -> Void]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while jobs.isEmpty, !isClosed { pthread_cond_wait(isFilled, mutex) }
        if jobs.isEmpty { return nil }
        let taken = jobs
        jobs = []
        return taken
    }
}

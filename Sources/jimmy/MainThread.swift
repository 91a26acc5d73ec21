import Glibc
import Synchronization

/// Runs asynchronous work from a synchronous `main`, and waits for it.
///
/// Commands that only read the library are done in milliseconds. Swift's thread pool would cost them as long again, so
/// their jobs run right here, on the main thread (SE-0417); only work that waits for servers gets the pool.
final class MainThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let wakeups = Semaphore()

    static func run<Result: Sendable>(onPool: Bool, _ work: @escaping @Sendable () async -> Result) -> Result {
        let main = MainThread()
        let slot = Slot<Result>()
        if onPool {
            Task { main.finish(slot, await work()) }
        } else {
            Task(executorPreference: main) { main.finish(slot, await work()) }
        }
        return main.drain(until: slot)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        wakeups.signal()
    }

    private func finish<Result: Sendable>(_ slot: Slot<Result>, _ result: Result) {
        slot.value.withLock { $0 = result }
        wakeups.signal()
    }

    private func drain<Result: Sendable>(until slot: Slot<Result>) -> Result {
        while true {
            if let result = slot.value.withLock({ $0 }) { return result }
            wakeups.wait()
            let batch = jobs.withLock { jobs in
                defer { jobs.removeAll() }
                return jobs
            }
            for job in batch { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    private final class Slot<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
}

/// A POSIX semaphore.
private final class Semaphore: @unchecked Sendable {
    // Semaphores are made for use from several threads; the pointer itself never changes.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }
    func wait() { while sem_wait(semaphore) != 0 {} }
}

import Glibc

/// Lets a thread wait for others.
///
/// Unchecked because the system's semaphore, to which `semaphore` points as long as this object exists, may be used by
/// several threads.
public final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    public init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    public func signal() { sem_post(semaphore) }

    /// Waits for one `signal`.
    public func wait() {
        while sem_wait(semaphore) != 0, errno == EINTR {}
    }
}

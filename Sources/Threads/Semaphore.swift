import Glibc

/// Lets a thread wait for others.
///
/// Unchecked because the system's semaphore, which `place` points to as long as this object exists, may be used by several
/// threads.
public final class Semaphore: @unchecked Sendable {
    private let place = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    public init() { sem_init(place, 0, 0) }

    deinit {
        sem_destroy(place)
        place.deallocate()
    }

    public func signal() { sem_post(place) }

    /// Waits for one `signal`.
    public func wait() {
        while sem_wait(place) != 0, errno == EINTR {}
    }
}

public import Domain
import Glibc

/// Runs `body` on a new, detached thread. For work that blocks: the cooperative pool has only one thread per core.
///
/// - Throws: `SystemFailure` if the system cannot create a thread.
public func startThread(for purpose: ThreadPurpose, _ body: @escaping @Sendable () -> Void) throws(SystemFailure) {
    let boxed = Unmanaged.passRetained(Body { ProcessorTime.count(purpose, body) })
    var thread = pthread_t()
    let error = pthread_create(
        &thread, nil,
        { argument in
            if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }, boxed.toOpaque())
    guard error == 0 else {
        boxed.release()
        throw .call("pthread_create", errno: error)
    }
    pthread_detach(thread)
}

private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

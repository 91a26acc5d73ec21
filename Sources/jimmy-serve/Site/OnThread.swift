import Threads

/// Runs blocking work on a thread of its own, since the pool has only one thread per core. nil if no thread can be
/// started.
func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result? {
    await withCheckedContinuation { continuation in
        do {
            try startThread(for: .other) { continuation.resume(returning: work()) }
        } catch {
            continuation.resume(returning: nil)
        }
    }
}

import Threads

/// Runs what blocks on a thread of its own, since the pool has only one thread a core. nil if the system gives none.
func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result? {
    await withCheckedContinuation { continuation in
        do {
            try startThread(for: .other) { continuation.resume(returning: work()) }
        } catch {
            continuation.resume(returning: nil)
        }
    }
}

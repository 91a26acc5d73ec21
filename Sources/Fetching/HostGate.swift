internal import Domain
import Synchronization

/// Lets at most so many requests at once to each host, first come, first served, and paces long series of them.
final class HostGate: Sendable {
    /// Requests that a host may get in one burst, and then each second, for each request that it may get at once.
    private static let burst = 100.0
    private static let rate = 25.0

    private struct Host {
        var active = 0
        /// Tasks that wait for their turn, first come first; nil where one gave up.
        var waiters: [(id: UInt64, continuation: UnsafeContinuation<Bool, Never>)] = []
        /// What is left of the burst; below zero, the time to wait.
        var allowance: Double
        var updated: ContinuousClock.Instant
    }

    private struct State {
        var hosts: [String: Host] = [:]
        var nextID: UInt64 = 0
    }

    private let perHost: Int
    private let clock = ContinuousClock()
    private let state = Mutex(State())

    init(perHost: Int) { self.perHost = max(1, perHost) }

    /// Waits for a place at the host. Each call that returns is answered by one of `leave`.
    /// - Throws: `FetchFailure` with `.cancelled`.
    func enter(_ host: String) async throws(FetchFailure) {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let entered =
            tryEnter(host)
            ? true
            : await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    if !wait(host, id, continuation) { continuation.resume(returning: !Task.isCancelled) }
                }
            } onCancel: {
                giveUp(host, id)
            }
        guard entered else { throw FetchFailure(.cancelled) }
        guard let pause = takeAllowance(host) else { return }
        do {
            try await Task.sleep(for: pause)
        } catch {
            leave(host)
            throw FetchFailure(.cancelled)
        }
    }

    func leave(_ host: String) {
        let next = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
            guard var entry = state.hosts[host] else { return nil }
            defer { state.hosts[host] = entry }
            if entry.waiters.isEmpty {
                entry.active -= 1
                return nil
            }
            return entry.waiters.removeFirst().continuation
        }
        next?.resume(returning: true)
    }

    private func tryEnter(_ host: String) -> Bool {
        state.withLock { state in
            var entry = state.hosts[host] ?? newHost()
            guard entry.active < perHost else { return false }
            entry.active += 1
            state.hosts[host] = entry
            return true
        }
    }

    /// false where there is no need to wait: a place is free, or the task was cancelled.
    private func wait(_ host: String, _ id: UInt64, _ continuation: UnsafeContinuation<Bool, Never>) -> Bool {
        if Task.isCancelled { return false }
        return state.withLock { state in
            var entry = state.hosts[host] ?? newHost()
            defer { state.hosts[host] = entry }
            if entry.active < perHost {
                entry.active += 1
                return false
            }
            entry.waiters.append((id, continuation))
            return true
        }
    }

    private func giveUp(_ host: String, _ id: UInt64) {
        let waiter = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
            guard let index = state.hosts[host]?.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.hosts[host]?.waiters.remove(at: index).continuation
        }
        waiter?.resume(returning: false)
    }

    private func newHost() -> Host { Host(allowance: HostGate.burst * Double(perHost), updated: clock.now) }

    /// How long to wait before the request, where the host has had its burst.
    private func takeAllowance(_ host: String) -> Duration? {
        state.withLock { state in
            guard var entry = state.hosts[host] else { return nil }
            let now = clock.now
            let rate = HostGate.rate * Double(perHost)
            let most = HostGate.burst * Double(perHost)
            entry.allowance = min(most, entry.allowance + (now - entry.updated) / .seconds(1) * rate) - 1
            entry.updated = now
            state.hosts[host] = entry
            return entry.allowance < 0 ? .seconds(-entry.allowance / rate) : nil
        }
    }
}

import Synchronization

/// How this machine treats servers in one run: the state of all hosts, behind one lock.
///
/// ```
/// Turns ──standing?──▶ Politeness ◀──enter, leave── Visit (one fetch, at every hop)
///                       │ slots, allowance, pauses, unreachable hosts: `Host`, by name
///                       └─▶ rows: what the next run must know
/// ```
/// Feeds, transcripts and whatever else a run fetches share one, so that a host's limits hold for all of them.
public final class Politeness: Sendable {
    private struct State {
        var hosts: [String: Host] = [:]
        /// Visits that wait for a slot, by host, first come first served.
        var waiters: [String: [Waiter]] = [:]
        var visits: UInt64 = 0
        var reachedAnyone = false
        /// No request begins any more.
        var isEnding = false
        /// Hosts with a stored allowance.
        var stored: Set<String> = []
        /// Hosts whose new pause was taken.
        var told: Set<String> = []
    }

    private struct Waiter {
        let visit: UInt64
        let continuation: UnsafeContinuation<Bool, Never>
    }

    /// Requests that a host gets at once.
    public let slotsPerHost: Int
    private let clock: @Sendable () -> Timestamp
    /// Seconds since 1970 when the run began. Times within the run are measured by a clock that does not jump.
    private let start: (seconds: Double, instant: ContinuousClock.Instant)
    private let state = Mutex(State())

    /// - Parameter clock: the current time, for pauses.
    public init(slotsPerHost: Int, clock: @escaping @Sendable () -> Timestamp) {
        self.slotsPerHost = max(1, slotsPerHost)
        self.clock = clock
        start = (Double(clock().seconds), ContinuousClock.now)
    }

    /// A fetch that is about to begin.
    ///
    /// - Parameters:
    ///   - subject: what it is for: an id of a podcast or an episode, where there is one.
    ///   - shared: URLs that are asked once in a run; nil if this fetch asks whatever others have asked.
    public func visit(for subject: String = "", sharing shared: SharedURLs? = nil) -> Visit {
        let number = state.withLock { state in
            state.visits += 1
            return state.visits
        }
        return Visit(number: number, subject: subject, politeness: self, shared: shared)
    }

    /// A fetch of a recording, under the number that it had there. It waits for nobody.
    public func visit(for subject: String, recordedAs number: UInt64) -> Visit {
        Visit(number: number, subject: subject, politeness: self, shared: nil)
    }

    /// False while no server has answered anything: perhaps this machine is offline.
    public var reachedAnyone: Bool { state.withLock { $0.reachedAnyone } }

    /// From now on no request begins; those under way may end.
    public func end() {
        let waiters = state.withLock { state in
            state.isEnding = true
            defer { state.waiters = [:] }
            return state.waiters.values.joined().map(\.continuation)
        }
        for waiter in waiters { waiter.resume(returning: false) }
    }

    public var isEnding: Bool { state.withLock { $0.isEnding } }

    func standing(of host: String) -> Host.Standing { standing(of: host, at: clock()) }

    func standing(of host: String, at time: Timestamp) -> Host.Standing {
        state.withLock { $0.hosts[host]?.standing(now: time) ?? .open }
    }

    /// Visits that wait for a slot at the host.
    func waiting(for host: String) -> Int { state.withLock { $0.waiters[host]?.count ?? 0 } }

    private var now: Double { start.seconds + (ContinuousClock.now - start.instant) / .seconds(1) }

    private func newHost() -> Host { Host(allowance: Allowance(slots: slotsPerHost, now: now)) }

    // MARK: Slots

    /// Waits for a slot at the host, and for its allowance. Each call that returns is followed by one of `leave`.
    ///
    /// - Throws: `HostPaused`; `FetchFailure` with `.cancelled`, or that of a host that is known to be unreachable.
    func enter(_ host: String, visit: UInt64) async throws {
        try check(host)
        if !takeSlot(host) {
            let hasSlot = await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    if let hasSlot = wait(host, Waiter(visit: visit, continuation: continuation)) {
                        continuation.resume(returning: hasSlot)
                    }
                }
            } onCancel: {
                giveUp(host, visit)
            }
            guard hasSlot else { throw FetchFailure(.cancelled) }
            // While this visit waited, the host may have asked for a pause.
            do {
                try check(host)
            } catch {
                release(host)
                throw error
            }
        }
        let delay = state.withLock { $0.hosts[host]?.allowance.take(now: now) ?? 0 }
        if delay > 0 { try? await Task.sleep(for: .seconds(delay)) }
        guard delay == 0 || !Task.isCancelled, !isEnding else {
            release(host)
            throw FetchFailure(.cancelled)
        }
    }

    func leave(_ host: String, _ result: HopResult) {
        let now = clock()
        state.withLock { state in
            switch result {
            case .answered(let status, let headers):
                state.hosts[host]?.answered(status: status, headers, now: now)
                state.reachedAnyone = true
            case .failed(let failure):
                state.hosts[host]?.failed(failure)
                // A server that breaks off or speaks nonsense is there.
                if !failure.isUnreachable, !failure.isLocal { state.reachedAnyone = true }
            }
        }
        release(host)
    }

    private func check(_ host: String) throws {
        switch standing(of: host) {
        case .open: break
        case .paused(let until): throw HostPaused(until: until)
        case .unreachable(let failure): throw failure
        }
    }

    private func takeSlot(_ host: String) -> Bool {
        state.withLock { state in
            if state.hosts[host] == nil { state.hosts[host] = newHost() }
            guard state.hosts[host]?.slotsInUse ?? 0 < slotsPerHost else { return false }
            state.hosts[host]?.slotsInUse += 1
            return true
        }
    }

    /// nil if the visit waits now; otherwise whether it has a slot. It has none if its task was cancelled.
    private func wait(_ host: String, _ waiter: Waiter) -> Bool? {
        state.withLock { state in
            if Task.isCancelled || state.isEnding { return false }
            if state.hosts[host]?.slotsInUse ?? 0 < slotsPerHost {
                state.hosts[host]?.slotsInUse += 1
                return true
            }
            state.waiters[host, default: []].append(waiter)
            return nil
        }
    }

    /// The slot goes to the visit that has waited longest.
    private func release(_ host: String) {
        let next = state.withLock { state -> Waiter? in
            if let next = state.waiters[host]?.first {
                state.waiters[host]?.removeFirst()
                if state.waiters[host]?.isEmpty == true { state.waiters[host] = nil }
                return next
            }
            state.hosts[host]?.slotsInUse -= 1
            return nil
        }
        next?.continuation.resume(returning: true)
    }

    private func giveUp(_ host: String, _ visit: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters[host]?.firstIndex(where: { $0.visit == visit }) else { return nil }
            return state.waiters[host]?.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }

    // MARK: Between runs

    /// Pauses that earlier runs heard.
    ///
    /// - Parameter areObeyed: false if the user insists; then they are only stored again.
    public func recall(pauses: [String: Timestamp], areObeyed: Bool = true) {
        let time = clock()
        state.withLock { state in
            for (host, until) in pauses {
                state.hosts[host, default: newHost()].recall(pauseUntil: until, isObeyed: areObeyed, now: time)
            }
        }
    }

    /// What hosts have had from earlier runs. Hosts that were asked in this run are left as they are.
    public func recall(allowances rows: [String: HostState]) {
        let now = now
        state.withLock { state in
            for (key, row) in rows {
                guard let requests = row.allowance, state.stored.insert(key).inserted else { continue }
                let measuredAt = row.measuredAt.map { Double($0.seconds) } ?? now
                state.hosts[key, default: newHost()].allowance =
                    Allowance(slots: slotsPerHost, requests: requests, measuredAt: min(measuredAt, now))
            }
        }
    }

    /// How many of its slots this process has of each host; other processes have the rest, with their share of its rate.
    func recall(shares: [String: Int]) {
        let now = now
        state.withLock { state in
            for (key, slots) in shares { state.hosts[key, default: newHost()].allowance.share(slots: slots, now: now) }
        }
    }

    /// Pauses that were heard since this was called last.
    func takeNewPauses() -> [String: Timestamp] {
        state.withLock { state in
            var pauses: [String: Timestamp] = [:]
            for (key, host) in state.hosts where host.hasNewPause && !state.told.contains(key) {
                pauses[key] = host.latestPause
                state.told.insert(key)
            }
            return pauses
        }
    }

    /// What the next run must know: new pauses, the allowance of hosts that had much, and rows without one for those that
    /// have recovered since an earlier run.
    public func rows() -> [String: HostState] {
        let (time, now) = (clock(), now)
        return state.withLock { state in
            var rows: [String: HostState] = [:]
            for (key, host) in state.hosts {
                let isKept = host.allowance.isWorthKeeping(at: now)
                guard host.hasNewPause || isKept || state.stored.contains(key) else { continue }
                var row = HostState()
                if let until = host.latestPause, until > time { row.pausedUntil = until }
                if isKept {
                    row.allowance = host.allowance.requests(at: now)
                    row.measuredAt = Timestamp(seconds: Int64(now.rounded(.up)))
                }
                rows[key] = row
            }
            return rows
        }
    }
}

/// Thrown if a URL's host asked to be left alone.
public struct HostPaused: Error, Equatable, Sendable {
    public let until: Timestamp

    public init(until: Timestamp) { self.until = until }
}

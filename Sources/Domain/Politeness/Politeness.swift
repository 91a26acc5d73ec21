import Synchronization

/// How this machine treats servers in one run: the state of all hosts, behind one lock.
///
/// ```
/// Turns ──standing?──▶ Politeness ◀──enter, leave── Visit (one fetch, at every hop)
///                       │ slots, allowance, pauses, unreachable hosts: `Host`, by name
///                       └─▶ rows: what the next run must know
/// ```
/// All fetches of a run share one, whether of feeds or transcripts, so that a host's limits cover them all.
public final class Politeness: Sendable {
    private struct State {
        var hosts: [String: Host] = [:]
        /// Visits that wait for a slot, by host, first come first served.
        var waiters: [String: [Waiter]] = [:]
        var visits: UInt64 = 0
        var reachedAnyone = false
        /// True once no further request may begin.
        var isEnding = false
        /// Hosts with a stored allowance.
        var stored: Set<String> = []
        /// Hosts whose new pause was already taken by `takeNewPauses`.
        var announced: Set<String> = []
    }

    private struct Waiter {
        let visit: UInt64
        let continuation: UnsafeContinuation<Bool, Never>
    }

    /// Simultaneous requests to one host.
    public let slotsPerHost: Int
    private let clock: @Sendable () -> Timestamp
    /// Start of the run, in seconds since 1970. Times within the run come from a clock that does not jump.
    private let start: (seconds: Double, instant: ContinuousClock.Instant)
    private let state = Mutex(State())

    /// - Parameter clock: gives the current time, for pauses.
    public init(slotsPerHost: Int, clock: @escaping @Sendable () -> Timestamp) {
        self.slotsPerHost = max(1, slotsPerHost)
        self.clock = clock
        start = (Double(clock().seconds), ContinuousClock.now)
    }

    /// Begins a fetch.
    ///
    /// - Parameters:
    ///   - subject: the id of the podcast or episode, if any.
    ///   - shared: the URLs that are requested once per run; nil if this fetch shares no answers.
    ///   - isMedia: true for a media file. A pause that a server asks for instead of one holds for its media only.
    public func visit(for subject: String = "", sharing shared: SharedURLs? = nil, ofMedia isMedia: Bool = false) -> Visit {
        let number = state.withLock { state in
            state.visits += 1
            return state.visits
        }
        return Visit(number: number, subject: subject, politeness: self, shared: shared, isMedia: isMedia)
    }

    /// A fetch of a recording, under its recorded number. It waits for nothing.
    public func visit(for subject: String, recordedAs number: UInt64) -> Visit {
        Visit(number: number, subject: subject, politeness: self, shared: nil)
    }

    /// False while no server has answered anything: perhaps this machine is offline.
    public var reachedAnyone: Bool { state.withLock { $0.reachedAnyone } }

    /// From now on no request begins; those in progress may finish.
    public func end() {
        let waiters = state.withLock { state in
            state.isEnding = true
            defer { state.waiters = [:] }
            return state.waiters.values.joined().map(\.continuation)
        }
        for waiter in waiters { waiter.resume(returning: false) }
    }

    public var isEnding: Bool { state.withLock { $0.isEnding } }

    var currentTime: Timestamp { clock() }

    func standing(of host: String) -> Host.Standing { standing(of: host, at: clock()) }

    /// The standing for a fetch of a media file.
    func mediaStanding(of host: String) -> Host.Standing {
        if case .paused(let until) = standing(of: Self.mediaKey(host)) { return .paused(until: until) }
        return standing(of: host)
    }

    /// The name under which a host's pauses for media are stored; no host has it.
    private static func mediaKey(_ host: String) -> String { host + "#media" }

    package func standing(of host: String, at time: Timestamp) -> Host.Standing {
        state.withLock { $0.hosts[host]?.standing(now: time) ?? .open }
    }

    /// Number of visits waiting for a slot at the host.
    func waiting(for host: String) -> Int { state.withLock { $0.waiters[host]?.count ?? 0 } }

    private var now: Double { start.seconds + (ContinuousClock.now - start.instant) / .seconds(1) }

    private func newHost() -> Host { Host(allowance: Allowance(slots: slotsPerHost, now: now)) }

    // MARK: Slots

    /// Waits for a slot at the host, and for its allowance. Each successful call must be followed by one of `leave`.
    ///
    /// - Throws: `HostPaused`; `FetchFailure` with `.cancelled`, or the last failure of an unreachable host.
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

    func leave(_ host: String, _ result: HopResult, ofMedia isMedia: Bool = false) {
        let now = clock()
        state.withLock { state in
            switch result {
            case .answered(let status, let headers) where isMedia:
                state.hosts[host]?.answered(status: status, ResponseHeaders(), now: now)
                var media = state.hosts[Self.mediaKey(host)] ?? newHost()
                media.answered(status: status, headers, now: now)
                if media.hasNewPause { state.hosts[Self.mediaKey(host)] = media }
                state.reachedAnyone = true
            case .answered(let status, let headers):
                state.hosts[host]?.answered(status: status, headers, now: now)
                state.reachedAnyone = true
            case .failed(let failure):
                state.hosts[host]?.failed(failure)
                // A server that breaks off or sends garbage was reached.
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

    /// nil if the visit waits now; otherwise true if it has a slot, and false if its task was cancelled.
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

    /// Passes the slot to the visit that has waited longest.
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

    /// Restores the pauses that earlier runs received.
    ///
    /// - Parameter areObeyed: false if the user overrides them; then they are only stored again.
    public func restore(pauses: [String: Timestamp], areObeyed: Bool = true) {
        let time = clock()
        state.withLock { state in
            for (host, until) in pauses {
                state.hosts[host, default: newHost()].restore(pauseUntil: until, isObeyed: areObeyed, now: time)
            }
        }
    }

    /// Restores the allowances that earlier runs left. Hosts already restored are skipped; of a host that this run has
    /// asked already, the smaller allowance counts.
    public func restore(allowances rows: [String: HostState]) {
        let now = now
        state.withLock { state in
            for (key, row) in rows {
                guard let requests = row.allowance, state.stored.insert(key).inserted else { continue }
                let measuredAt = row.measuredAt.map { Double($0.seconds) } ?? now
                let stored = Allowance(slots: slotsPerHost, requests: requests, measuredAt: min(measuredAt, now))
                var host = state.hosts[key] ?? newHost()
                if stored.requests(at: now) < host.allowance.requests(at: now) { host.allowance = stored }
                state.hosts[key] = host
            }
        }
    }

    /// Sets how many slots of each host this process has; other processes have the remainder, with their share of its
    /// rate.
    package func restore(shares: [String: Int]) {
        let now = now
        state.withLock { state in
            for (key, slots) in shares { state.hosts[key, default: newHost()].allowance.share(slots: slots, now: now) }
        }
    }

    /// Pauses received since the last call.
    package func takeNewPauses() -> [String: Timestamp] {
        state.withLock { state in
            var pauses: [String: Timestamp] = [:]
            for (key, host) in state.hosts where host.hasNewPause && !state.announced.contains(key) {
                pauses[key] = host.latestPause
                state.announced.insert(key)
            }
            return pauses
        }
    }

    /// The rows to store for the next run: new pauses, the allowances of hosts with many requests, and empty rows for
    /// hosts that have recovered.
    public func rows() -> [String: HostState] {
        let (time, now) = (clock(), now)
        return state.withLock { state in
            var rows: [String: HostState] = [:]
            for (key, host) in state.hosts {
                let isStored = host.allowance.isWorthKeeping(at: now)
                guard host.hasNewPause || host.hasEndedPause || isStored || state.stored.contains(key) else { continue }
                var row = HostState()
                row.endsPause = host.hasEndedPause && !host.hasNewPause
                if let until = host.latestPause, until > time { row.pausedUntil = until }
                if isStored {
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

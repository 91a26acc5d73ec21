public import Addresses
import Synchronization

/// One fetch as it moves from host to host. It holds at most one slot, and only while it waits for a server.
///
/// The fetcher calls `enter` before each hop and `leave` after it, so every rule holds at every hop.
public final class Visit: Sendable {
    public enum Entry: Equatable, Sendable {
        /// The request may be sent now.
        case granted
        /// Another fetch of this run has claimed this URL, and its answer is shared.
        case shared
    }

    /// Numbers the visits of one run.
    public let number: UInt64
    /// What is fetched: the id of a podcast or an episode; empty for anything else.
    public let subject: String
    private let politeness: Politeness
    private let shared: SharedURLs?
    private let isMedia: Bool
    private let host = Mutex<String?>(nil)

    init(number: UInt64, subject: String, politeness: Politeness, shared: SharedURLs?, isMedia: Bool = false) {
        self.isMedia = isMedia
        self.number = number
        self.subject = subject
        self.politeness = politeness
        self.shared = shared
    }

    deinit { leave(.failed(FetchFailure(.cancelled))) }

    /// The current time, as politeness sees it.
    public var now: Timestamp { politeness.currentTime }

    /// Waits until `url` may be asked. After `.granted`, `leave` must follow.
    ///
    /// - Throws: `HostPaused`; `FetchFailure` with `.cancelled`, or the last failure of an unreachable host.
    public func enter(_ url: WebURL) async throws -> Entry {
        let standing = isMedia ? politeness.mediaStanding(of: url.hostKey) : politeness.standing(of: url.hostKey)
        if case .paused(let until) = standing { throw HostPaused(until: until) }
        if let shared, !shared.claim(url.text, for: number) { return .shared }
        try await politeness.enter(url.hostKey, visit: number)
        host.withLock { $0 = url.hostKey }
        return .granted
    }

    /// Ends the request: frees the slot and records the result for the host.
    public func leave(_ result: HopResult) {
        let heldHost = host.withLock { host in
            defer { host = nil }
            return host
        }
        if let heldHost { politeness.leave(heldHost, result, ofMedia: isMedia) }
    }
}

/// How one request ended, for the state of its host.
public enum HopResult: Sendable {
    case answered(status: Int, ResponseHeaders)
    case failed(FetchFailure)
}

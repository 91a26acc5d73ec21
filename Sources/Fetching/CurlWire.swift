public import Addresses
public import Domain
import Synchronization

/// The wire to real servers, through libcurl, and to feeds in local files.
public final class CurlWire: Wire {
    /// Started by the first exchange.
    private let loop = Mutex<CurlLoop?>(nil)
    private let clock = ContinuousClock()

    public init() {}

    deinit { loop.withLock { $0?.stop() } }

    /// If libcurl cannot be loaded, the first exchange reports it.
    public func prepare() { _ = try? startedLoop() }

    public func enter(_ url: WebURL, _ visit: Visit) async throws -> Visit.Entry { try await visit.enter(url) }

    public func exchange(
        _ request: WireRequest, _ visit: Visit, receive: (WireHead, WirePiece) throws -> Void
    ) async -> WireOutcome {
        if let path = FeedURL.filePath(request.url) { return LocalFile.read(path, receive: receive) }
        let begin = clock.now
        var outcome = WireOutcome()
        do {
            let loop = try startedLoop()
            let transfer = Transfer(request)
            defer { (outcome.head, outcome.times, outcome.page) = (transfer.head, transfer.times, transfer.page) }
            try await withTaskCancellationHandler {
                loop.start(transfer)
                do {
                    try await Self.read(transfer, on: loop, receive)
                } catch {
                    loop.cancel(transfer)
                    throw error
                }
            } onCancel: {
                loop.cancel(transfer)
            }
        } catch {
            outcome.failure = error
        }
        outcome.duration = clock.now - begin
        return outcome
    }

    private static func read(
        _ transfer: Transfer, on loop: CurlLoop, _ receive: (WireHead, WirePiece) throws -> Void
    ) async throws {
        var admit = transfer.request.admitBody
        while true {
            switch await transfer.next(unpause: { loop.unpause(transfer) }) {
            case .bytes(let bytes):
                await admit?()
                admit = nil
                try receive(transfer.head ?? WireHead(), .sent(bytes))
                if transfer.request.isMedia { transfer.reuse(bytes) }
            case .ended(let failure?): throw failure
            case .ended(nil): return
            }
        }
    }

    private func startedLoop() throws(SystemFailure) -> CurlLoop {
        try loop.withLock { loop throws(SystemFailure) in
            if let loop { return loop }
            let started = try CurlLoop()
            loop = started
            return started
        }
    }
}

public import Addresses
public import Domain

/// A wire that connects only to public internet addresses, except for servers that are explicitly allowed. It is used
/// for URLs that strangers choose: pictures, and feeds that are only previewed.
public struct PublicWire: Wire {
    private let wire: any Wire
    private let mayAsk: @Sendable (String) async -> Bool

    /// - Parameter mayAsk: true if the server with this `WebURL.hostKey` may be asked at any address.
    public init(_ wire: any Wire, mayAsk: @escaping @Sendable (String) async -> Bool) {
        self.wire = wire
        self.mayAsk = mayAsk
    }

    public func enter(_ url: WebURL, _ visit: Visit) async throws -> Visit.Entry { try await wire.enter(url, visit) }

    public func exchange(
        _ request: WireRequest, _ visit: Visit, receive: (WireHead, WirePiece) throws -> Void
    ) async -> WireOutcome {
        var request = request
        guard let url = WebURL(request.url) else {
            var outcome = WireOutcome()
            outcome.failure = FetchFailure(.protocol, detail: .notAWebAddress)
            return outcome
        }
        request.publicOnly = !(await mayAsk(url.hostKey))
        return await wire.exchange(request, visit, receive: receive)
    }

    public func decoded(_ piece: [UInt8], _ head: ResponseHead, _ visit: Visit) { wire.decoded(piece, head, visit) }
    public func ended(_ body: Result<WireBody, FetchFailure>?, _ visit: Visit) { wire.ended(body, visit) }
}

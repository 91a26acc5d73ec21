public import Addresses
public import Domain

/// Measures the exchanges of another wire.
public struct MeteredWire: Wire {
    private let inner: any Wire
    private let meter: RunMeter

    public init(_ inner: any Wire, _ meter: RunMeter) {
        self.inner = inner
        self.meter = meter
    }

    public func prepare() { inner.prepare() }

    public func enter(_ url: WebURL, _ visit: Visit) async throws -> Visit.Entry {
        let start = ContinuousClock.now
        defer { meter.note(RunSpan(stage: .wait, subject: visit.subject, start: start, end: .now)) }
        return try await inner.enter(url, visit)
    }

    public func exchange(
        _ request: WireRequest, _ visit: Visit, receive: (WireHead, WirePiece) throws -> Void
    ) async -> WireOutcome {
        let start = ContinuousClock.now
        let outcome = await inner.exchange(request, visit, receive: receive)
        guard let times = outcome.times else { return outcome }
        var last = start
        // libcurl's times count from the start of the exchange; a step that was not needed has none.
        let steps = [
            (RunStage.lookUp, times.lookUp), (.connect, times.connect), (.tls, times.tls), (.firstByte, times.firstByte),
            (.body, times.total),
        ]
        for (stage, microseconds) in steps where microseconds > 0 {
            let end = max(last, start + .microseconds(microseconds))
            meter.note(RunSpan(stage: stage, subject: visit.subject, start: last, end: end))
            last = end
        }
        return outcome
    }

    public func decoded(_ piece: [UInt8], _ head: ResponseHead, _ visit: Visit) { inner.decoded(piece, head, visit) }
    public func ended(_ body: Result<WireBody, FetchFailure>?, _ visit: Visit) { inner.ended(body, visit) }
}

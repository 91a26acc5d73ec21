import Domain
import Fetching
import LoopbackServer

/// What a test needs of a fetch: the answer and the body together, or the failure.
func fetch(
    _ url: String, with fetcher: CurlFetcher = CurlFetcher(userAgent: "jimmy-tests"), _ politeness: Politeness = .generous(),
    _ change: (inout FetchRequest) -> Void = { _ in }
) async throws -> (response: FetchResponse, text: String) {
    var request = FetchRequest(url: url)
    request.limits.timeout = 10
    change(&request)
    var body = [UInt8]()
    let response = try await fetcher.fetch(request, politeness.visit()) { _, bytes in body += bytes }
    return (response, String(decoding: body, as: UTF8.self))
}

func failure(
    of url: String, with fetcher: CurlFetcher = CurlFetcher(userAgent: "jimmy-tests"), _ politeness: Politeness = .generous(),
    _ change: (inout FetchRequest) -> Void = { _ in }
) async -> FetchFailure? {
    do {
        _ = try await fetch(url, with: fetcher, politeness, change)
        return nil
    } catch {
        return error as? FetchFailure
    }
}

extension Politeness {
    /// For tests of a single fetch.
    static func generous(slots: Int = 2) -> Politeness { Politeness(slotsPerHost: slots) { Timestamp(seconds: 1_800_000_000) } }
}

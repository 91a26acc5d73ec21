import Hummingbird
import Synchronization

/// Counts requests and their response times by route, method and status.
final class Traffic: Sendable {
    struct Key: Hashable, Sendable {
        var route: String
        var method: String
        var status: Int
    }

    struct Sums: Sendable {
        var requests = 0
        var seconds = 0.0
        /// For each of `bounds`, the number of requests that took at most that long.
        var buckets = [Int](repeating: 0, count: Traffic.bounds.count)
    }

    /// Upper bounds of response times in seconds.
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    private let sums = Mutex<[Key: Sums]>([:])

    var all: [(key: Key, sums: Sums)] {
        sums.withLock { Array($0) }.sorted {
            ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
        }
        .map { ($0.key, $0.value) }
    }

    func add(_ key: Key, seconds: Double) {
        sums.withLock { all in
            all[key, default: Sums()].requests += 1
            all[key, default: Sums()].seconds += seconds
            for (index, bound) in Self.bounds.enumerated() where seconds <= bound {
                all[key, default: Sums()].buckets[index] += 1
            }
        }
    }
}

/// Measures every request. Methods and routes are limited in number, whatever clients send.
struct MeasureTraffic: RouterMiddleware {
    let traffic: Traffic

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        func add(_ status: Int) {
            let countedMethods: Set<String> = ["GET", "HEAD", "POST", "PUT", "DELETE"]
            let method = countedMethods.contains(request.method.rawValue) ? request.method.rawValue : "other"
            let key = Traffic.Key(route: context.endpointPath ?? "none", method: method, status: status)
            traffic.add(key, seconds: (ContinuousClock.now - start) / .seconds(1))
        }
        do {
            let response = try await next(request, context)
            add(response.status.code)
            return response
        } catch {
            add((error as? any HTTPResponseError)?.status.code ?? 500)
            throw error
        }
    }
}

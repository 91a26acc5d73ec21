import Composition
import Domain
import Hummingbird
import Presentation
import UseCases

/// The state of the library and the server's own traffic, for Prometheus.
struct Metrics {
    let site: Site

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let status = try await site.reader.loadStatus.detailed(now: context.time)
        let text = (PrometheusView(status, now: context.time).jsonRows + traffic).joined(separator: "\n") + "\n"
        return .text(text, type: "text/plain; version=0.0.4; charset=utf-8")
    }

    /// A histogram of response times for each route, method and status.
    private var traffic: [String] {
        var lines = [
            "# HELP jimmy_http_request_seconds Time until a response was ready, by route.",
            "# TYPE jimmy_http_request_seconds histogram",
        ]
        for (key, sums) in site.traffic.all {
            let labels = "route=\"\(key.route)\",method=\"\(key.method)\",status=\"\(key.status)\""
            for (bound, count) in zip(Traffic.bounds, sums.buckets) {
                lines.append("jimmy_http_request_seconds_bucket{\(labels),le=\"\(bound)\"} \(count)")
            }
            lines.append("jimmy_http_request_seconds_bucket{\(labels),le=\"+Inf\"} \(sums.requests)")
            lines.append("jimmy_http_request_seconds_sum{\(labels)} \(sums.seconds)")
            lines.append("jimmy_http_request_seconds_count{\(labels)} \(sums.requests)")
        }
        return lines
    }
}

public import Domain
public import Results

/// The state of the library in Prometheus's text format (version 0.0.4), for node_exporter's textfile collector.
public struct PrometheusView: View {
    let metrics: LibraryMetrics

    public init(_ status: LibraryStatus, now: Timestamp) { metrics = LibraryMetrics(status, now: now) }

    public func jsonLines(_ emit: (String) -> Void) { lines.forEach(emit) }

    public func lines(for display: Display) -> [String] { lines }

    private var lines: [String] {
        metrics.all.flatMap { metric in
            ["# HELP \(metric.name) \(metric.help)", "# TYPE \(metric.name) \(metric.isCounter ? "counter" : "gauge")"]
                + metric.samples.map { "\(metric.name)\($0.label.map { "{\($0.name)=\"\($0.value)\"}" } ?? "") \($0.value)" }
        }
    }
}

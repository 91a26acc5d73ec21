public import Domain

/// The state of the library in Prometheus' text form (version 0.0.4), for node_exporter's textfile collector.
public struct PrometheusView: View {
    let status: LibraryStatus
    let now: Timestamp

    public init(_ status: LibraryStatus, now: Timestamp) {
        self.status = status
        self.now = now
    }

    public func jsonLines(_ emit: (String) -> Void) { lines.forEach(emit) }

    public func lines(for display: Display) -> [String] { lines }

    private var lines: [String] {
        var metrics = Metrics()
        let podcasts = status.podcasts.map(\.podcast)
        metrics.gauge("podcasts", "Subscriptions.", status.overview.podcasts)
        metrics.gauge("episodes", "Episodes in the library.", status.overview.episodes)
        metrics.gauge("queued_episodes", "Episodes in the play queue.", status.queued)
        metrics.gauge(
            "podcasts_by_health", "Subscriptions by the grade that 'jimmy status' gives.", label: "health",
            Health.allCases.map { ($0.rawValue, status.overview.health[$0] ?? 0) })
        var outcomes = Dictionary(uniqueKeysWithValues: RefreshOutcome.Kind.allCases.map { ($0.rawValue, 0) })
        outcomes["skipped"] = nil
        for podcast in podcasts {
            guard let answer = podcast.fetch.answers.first else { continue }
            let isKnown = outcomes[answer.outcome] != nil
            outcomes[isKnown ? answer.outcome : podcast.fetch.isGone ? "gone" : "failed", default: 0] += 1
        }
        metrics.gauge(
            "podcasts_by_outcome", "Subscriptions by how their last fetch ended.", label: "outcome",
            outcomes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        addDue(podcasts, to: &metrics)
        metrics.gauge("hosts", "Servers that subscriptions are fetched from.", Set(podcasts.map(\.hostKey)).count)
        addTimes(podcasts, to: &metrics)
        metrics.gauge("library_bytes", "Size of the library's folder.", status.librarySize)
        metrics.gauge("index_bytes", "Size of the search index.", status.indexSize)
        metrics.gauge("index_stale_podcasts", "Subscriptions whose changes the index has not seen.", status.outdatedInIndex)
        addCounters(status.lastRefresh.counters, to: &metrics)
        return metrics.lines
    }

    private func addDue(_ podcasts: [Podcast], to metrics: inout Metrics) {
        let late = podcasts.filter { !$0.settings.isPaused && !$0.fetch.isGone }.compactMap { podcast -> Int64? in
            guard let due = podcast.fetch.nextDueAt else { return podcast.fetch.lastAttemptAt == nil ? 0 : nil }
            return due <= now ? now - due : nil
        }
        metrics.gauge("due_podcasts", "Subscriptions that are due and wait for a refresh.", late.count)
        metrics.gauge("due_lateness_seconds", "How long ago the first of them was due.", late.max().map(Int.init) ?? 0)
    }

    private func addTimes(_ podcasts: [Podcast], to metrics: inout Metrics) {
        metrics.gauge(
            "last_refresh_start_timestamp_seconds", "When the last refresh that fetched anything began.",
            status.lastRefresh.startedAt.map { Int($0.seconds) })
        metrics.gauge(
            "last_refresh_end_timestamp_seconds", "When it ended.", status.lastRefresh.endedAt.map { Int($0.seconds) })
        let times = podcasts.compactMap(\.fetch.answers.first?.milliseconds).sorted()
        guard !times.isEmpty else { return }
        metrics.gauge(
            "last_response_seconds", "Time that servers took for each subscription's last fetch.", label: "share",
            [0.5, 0.9, 0.99, 1].map { share in
                (String(share), Double(times[min(times.count - 1, Int(share * Double(times.count)))]) / 1_000)
            })
    }

    private func addCounters(_ counters: RunCounters, to metrics: inout Metrics) {
        metrics.counter("refreshes_total", "Refreshes that fetched anything.", counters.refreshes)
        metrics.counter(
            "fetches_total", "Fetches by outcome.", label: "outcome",
            RefreshOutcome.Kind.allCases.filter { $0 != .skipped }.map { ($0.rawValue, Double(counters.fetches[$0] ?? 0)) })
        metrics.counter("episodes_added_total", "Episodes that refreshes added.", counters.added)
        metrics.counter("received_bytes_total", "Bytes of bodies, as servers sent them.", counters.bytes)
        metrics.counter("refresh_seconds_total", "Time that refreshes took.", Double(counters.milliseconds) / 1_000)
        metrics.counter(
            "stage_seconds_total", "Time that feeds spent in each stage of refreshes, many of them side by side.",
            label: "stage", RunStage.allCases.map { ($0.rawValue, Double(counters.stages[$0] / 1_000_000) / 1_000) })
    }
}

/// Metrics with their help and their type.
private struct Metrics {
    private(set) var lines: [String] = []

    mutating func gauge(_ name: String, _ help: String, _ value: Int?) {
        if let value { add(name, help, "gauge", ["jimmy_\(name) \(value)"]) }
    }

    mutating func gauge(_ name: String, _ help: String, label: String, _ values: [(String, some Numeric)]) {
        add(name, help, "gauge", values.map { "jimmy_\(name){\(label)=\"\($0.0)\"} \($0.1)" })
    }

    mutating func counter(_ name: String, _ help: String, _ value: some Numeric) {
        add(name, help, "counter", ["jimmy_\(name) \(value)"])
    }

    mutating func counter(_ name: String, _ help: String, label: String, _ values: [(String, Double)]) {
        add(name, help, "counter", values.map { "jimmy_\(name){\(label)=\"\($0.0)\"} \($0.1)" })
    }

    private mutating func add(_ name: String, _ help: String, _ type: String, _ samples: [String]) {
        lines += ["# HELP jimmy_\(name) \(help)", "# TYPE jimmy_\(name) \(type)"] + samples
    }
}

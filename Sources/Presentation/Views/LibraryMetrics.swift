import Domain
import Results

/// The metrics of a library, for `status --prometheus` and `status --json`.
struct LibraryMetrics {
    /// One metric, with one value or one for each value of a label.
    struct Metric {
        let name: String
        let help: String
        /// True if the value only grows.
        let isCounter: Bool
        let samples: [Sample]
    }

    struct Sample: Fields {
        enum Value: CustomStringConvertible {
            case whole(Int)
            case fraction(Double)

            var description: String {
                switch self {
                case .whole(let value): String(value)
                case .fraction(let value): String(value)
                }
            }
        }

        let metric: String
        var label: (name: StaticString, value: String)?
        let value: Value

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("name", metric)
            if let label { visitor.text(label.name, label.value) }
            switch value {
            case .whole(let value): visitor.integer("value", value)
            case .fraction(let value): visitor.number("value", value)
            }
        }
    }

    private(set) var all: [Metric] = []

    init(_ status: LibraryStatus, now: Timestamp) {
        let podcasts = status.podcasts.map(\.podcast)
        gauge("podcasts", "Subscriptions.", status.overview.podcasts)
        gauge("episodes", "Episodes in the library.", status.overview.episodes)
        gauge("queued_episodes", "Episodes in the play queue.", status.queued)
        gauge(
            "podcasts_by_health", "Subscriptions by health, as in 'jimmy status'.", label: "health",
            Health.allCases.map { ($0.rawValue, .whole(status.overview.health[$0] ?? 0)) })
        var outcomes = Dictionary(uniqueKeysWithValues: RefreshOutcome.Kind.allCases.map { ($0.rawValue, 0) })
        outcomes["skipped"] = nil
        for podcast in podcasts {
            guard let answer = podcast.fetch.answers.first else { continue }
            let isOutcome = outcomes[answer.outcome] != nil
            outcomes[isOutcome ? answer.outcome : podcast.fetch.isGone ? "gone" : "failed", default: 0] += 1
        }
        gauge(
            "podcasts_by_outcome", "Subscriptions by how their last fetch ended.", label: "outcome",
            outcomes.sorted { $0.key < $1.key }.map { ($0.key, .whole($0.value)) })
        addDue(podcasts, now)
        gauge("hosts", "Servers that subscriptions are fetched from.", Set(podcasts.map(\.hostKey)).count)
        addTimes(podcasts, status.lastRefresh)
        gauge("library_bytes", "Size of the library's folder.", status.librarySize)
        gauge("index_bytes", "Size of the search index.", status.indexSize)
        gauge("index_stale_podcasts", "Subscriptions with changes that are not indexed.", status.outdatedInIndex)
        addCounters(status.lastRefresh.counters)
    }

    private mutating func addDue(_ podcasts: [Podcast], _ now: Timestamp) {
        let late = podcasts.filter { !$0.settings.isPaused && !$0.fetch.isGone }.compactMap { podcast -> Int64? in
            guard let due = podcast.fetch.nextDueAt else { return podcast.fetch.lastAttemptAt == nil ? 0 : nil }
            return due <= now ? now - due : nil
        }
        gauge("due_podcasts", "Subscriptions that are due.", late.count)
        gauge("due_lateness_seconds", "Seconds since the first of them was due.", late.max().map(Int.init) ?? 0)
    }

    private mutating func addTimes(_ podcasts: [Podcast], _ lastRefresh: RefreshTimes) {
        gauge(
            "last_refresh_start_timestamp_seconds", "When the last refresh that fetched anything began.",
            lastRefresh.startedAt.map { Int($0.seconds) })
        gauge(
            "last_refresh_end_timestamp_seconds", "When it ended.", lastRefresh.endedAt.map { Int($0.seconds) })
        let times = podcasts.compactMap(\.fetch.answers.first?.milliseconds).sorted()
        guard !times.isEmpty else { return }
        gauge(
            "last_response_seconds", "Time that servers took for each subscription's last fetch.", label: "share",
            [0.5, 0.9, 0.99, 1].map { share in
                (String(share), .fraction(Double(times[min(times.count - 1, Int(share * Double(times.count)))]) / 1_000))
            })
    }

    private mutating func addCounters(_ counters: RunCounters) {
        counter("refreshes_total", "Refreshes that fetched anything.", .whole(counters.refreshes))
        counter(
            "fetches_total", "Fetches by outcome.", label: "outcome",
            RefreshOutcome.Kind.allCases.filter { $0 != .skipped }.map { ($0.rawValue, .whole(counters.fetches[$0] ?? 0)) })
        counter("episodes_added_total", "Episodes that refreshes added.", .whole(counters.added))
        counter("received_bytes_total", "Bytes of bodies, as servers sent them.", .whole(counters.bytes))
        counter("refresh_seconds_total", "Time that refreshes took.", .fraction(Double(counters.milliseconds) / 1_000))
        counter(
            "stage_seconds_total", "Time that feeds spent in each stage of refreshes, summed over concurrent feeds.",
            label: "stage", RunStage.allCases.map { ($0.rawValue, .fraction(Double(counters.stages[$0] / 1_000_000) / 1_000)) })
    }

    private mutating func gauge(_ name: String, _ help: String, _ value: Int?) {
        if let value { add(name, help, isCounter: false, [(nil, .whole(value))]) }
    }

    private mutating func gauge(_ name: String, _ help: String, label: StaticString, _ values: [(String, Sample.Value)]) {
        add(name, help, isCounter: false, values.map { ((label, $0.0), $0.1) })
    }

    private mutating func counter(_ name: String, _ help: String, _ value: Sample.Value) {
        add(name, help, isCounter: true, [(nil, value)])
    }

    private mutating func counter(_ name: String, _ help: String, label: StaticString, _ values: [(String, Sample.Value)]) {
        add(name, help, isCounter: true, values.map { ((label, $0.0), $0.1) })
    }

    private mutating func add(
        _ name: String, _ help: String, isCounter: Bool, _ values: [((StaticString, String)?, Sample.Value)]
    ) {
        let name = "jimmy_" + name
        all.append(
            Metric(
                name: name, help: help, isCounter: isCounter,
                samples: values.map { label, value in
                    Sample(metric: name, label: label.map { (name: $0.0, value: $0.1) }, value: value)
                }))
    }
}

import Composition
import Domain
import Hummingbird
import Presentation
import Results
import UseCases

/// The status page: facts about the library, podcasts that need attention and why, charts, and the last refresh.
struct StatusPage {
    let site: Site

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        let status = try await library.loadStatus.detailed(now: context.time)
        let overview = status.overview
        let unfetched = overview.health[.unfetched] ?? 0
        let attention = status.podcasts.filter { $0.health.needsAttention }
        let values: Values = [
            "facts": [
                fact("Podcasts", grouped(overview.podcasts)), fact("Episodes", grouped(overview.episodes)),
                fact("In the queue", grouped(status.queued)),
                fact("Last refresh", status.lastRefresh.endedAt?.relative(to: context.time) ?? "never"),
                fact("Next due", overview.nextDueAt.map { $0 <= context.time ? "now" : $0.relative(to: context.time) } ?? "–"),
                // While a list is being imported, this shows how far that is.
                unfetched > 0
                    ? fact("Not fetched yet", grouped(unfetched))
                    : fact("Not in the index yet", status.outdatedInIndex.map { grouped($0) } ?? "unknown"),
            ],
            "attention": attention.map { podcast, health -> Values in
                [
                    "id": podcast.id.text, "title": podcast.displayTitle.oneLine, "health": health.word,
                    "why": health.why(podcast, now: context.time) ?? "",
                ]
            },
            "isFine": attention.isEmpty, "total": counted(attention.count, "podcast needs", "podcasts need"),
            "grades": Health.allCases.compactMap { health -> Values? in
                guard let count = overview.health[health], count > 0 else { return nil }
                return [
                    "name": health.word, "count": grouped(count), "meaning": health.meaning,
                    "path": "/podcasts?health=\(health.rawValue)",
                ]
            },
            "hasGrades": overview.podcasts > 0,
            "hasWorkers": status.activity != nil,
            "workers": (status.activity?.workers ?? []).map { worker -> Values in
                [
                    "name": worker.name.oneLine, "since": worker.startedAt.relative(to: context.time),
                    "seen": worker.seenAt.relative(to: context.time),
                ]
            },
            // A picture with the same address would be shown as it was.
            "version": (status.podcasts.compactMap(\.podcast.lastAskedAt).max() ?? .distantPast).seconds,
            "refreshes": site.options.refreshes, "isRefreshing": site.isRefreshing,
        ]
        return site.page("status", title: "Status", section: "Status", values)
    }

    private func fact(_ name: String, _ value: String) -> Values { ["name": name, "value": value] }

    func chart(_ request: Request, _ context: SiteContext) async throws -> Response {
        .chart(ChartView(try await site.reader.measureActivity(of: nil, weeks: 26, now: context.time)).svg)
    }

    /// Starts a refresh of the podcasts that are due.
    func refresh(_ request: Request, _ context: SiteContext) async throws -> Response {
        site.refreshSoon()
        return .see("/status")
    }
}

import Addresses
import Composition
import Domain
import Hummingbird
import Presentation
import Results
import UseCases

/// Subscribes by the URL of a feed or a page, or by a search of directories, with a preview of the podcast.
struct SubscribePage {
    let site: Site

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        guard let text = request.query["q"] else { return page(["query": ""]) }
        var values: Values = ["query": text]
        do {
            if text.contains("://"), WebURL(text) == nil {
                throw FailureLine(text, "only feeds on the web can be added here", status: .usage)
            }
            if text.contains("."), !text.contains(" "), let address = FeedURL.parse(text) {
                guard WebURL(address.url) != nil else {
                    throw FailureLine(text, "only feeds on the web can be added here", status: .usage)
                }
                let preview = try await site.preview(text)
                let subscribed = try await site.reader.podcasts.podcast(at: preview.podcast.feedURL)
                values["preview"] = self.preview(preview, subscribed: subscribed, now: context.time)
            } else {
                let report = try await site.composition.discover(at: nil)(
                    text, country: site.composition.settings.country?.code, limit: 20)
                var entries: [Values] = []
                for entry in report.entries {
                    let subscribed = try await site.reader.podcasts.podcast(at: entry.feedURL)
                    entries.append([
                        "title": entry.title.oneLine, "author": entry.author?.oneLine ?? "", "feedURL": entry.feedURL,
                        "facts": entry.episodes.map { counted($0, "episode") } ?? "",
                        "path": "/subscribe?q=" + Form.encoded(entry.feedURL), "isKnown": subscribed != nil,
                        "id": subscribed?.id.text ?? "",
                    ])
                }
                values["entries"] = entries
                values["isEmpty"] = report.entries.isEmpty
            }
        } catch {
            values["failure"] = FailureLine(error, doing: text).words
        }
        return page(values)
    }

    private func page(_ values: Values) -> Response { site.page("subscribe", title: "Subscribe", section: "Podcasts", values) }

    /// - Parameter subscribed: the subscription that the library already has, if any.
    private func preview(_ preview: SubscribePreview, subscribed: Podcast?, now: Timestamp) -> Values {
        let newest = preview.episodes.sorted { ($0.item.publishedAt ?? .distantPast) > ($1.item.publishedAt ?? .distantPast) }
        return [
            "title": preview.podcast.displayTitle.oneLine, "author": preview.channel.author?.oneLine ?? "",
            "feedURL": preview.podcast.feedURL, "isKnown": subscribed != nil, "id": (subscribed ?? preview.podcast).id.text,
            "about": (preview.channel.description ?? preview.channel.summary).map(SafeHTML.of) ?? "",
            "count": counted(preview.episodes.count, "episode"),
            "episodes": newest.prefix(5).map { episode -> Values in
                [
                    "title": episode.item.title?.oneLine ?? "(no title)",
                    "when": episode.item.publishedAt?.relative(to: now) ?? "",
                ]
            },
            "others": preview.alternatives.map { link -> Values in
                ["title": link.title?.oneLine ?? link.url, "path": "/subscribe?q=" + Form.encoded(link.url)]
            },
        ]
    }

    func subscribe(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = try await request.form()
        guard let text = form["feed"], let address = FeedURL.parse(text), WebURL(address.url) != nil else {
            throw HTTPError(.badRequest, message: "no feed URL")
        }
        let outcome = try await site.subscribe(to: text)
        if case .failed(let failure) = outcome.kind {
            return page(["query": text, "failure": FailureLine(failure, doing: text).words])
        }
        try await site.writer.undo.recordAdded([outcome], now: context.time)
        return .see(outcome.podcast.map { "/podcasts/\($0.id.text)" } ?? "/podcasts")
    }
}

extension FailureLine {
    /// The reason and the advice, without the program's name and the subject, which the page shows itself.
    var words: String { ([why] + [advice].compactMap(\.self)).joined(separator: "; ") }
}

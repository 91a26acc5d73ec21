import Composition
import Domain
import Hummingbird
import Presentation
import UseCases

/// The requests of the page's player: episodes with chapters and position, and reports of what was heard.
struct PlayerRequests {
    let site: Site

    func episode(_ request: Request, _ context: SiteContext) async throws -> Response {
        guard let listed = try await site.reader.listEpisodes.listed([try context.episodeID()]).first else {
            throw HTTPError(.notFound)
        }
        return .json(try await json(of: listed, context))
    }

    /// The first episode of the queue, or the one behind `after` if that is queued; 204 if there is none.
    func next(_ request: Request, _ context: SiteContext) async throws -> Response {
        let current = request.query["after"].flatMap { EpisodeID(text: $0) }
        guard let listed = try await site.reader.queue.next(after: current) else { return Response(status: .noContent) }
        return .json(try await json(of: listed, context))
    }

    func json(of listed: ListedEpisode, _ context: SiteContext) async throws -> String {
        let library = site.reader
        return PlayableView(
            listed, position: try await library.positions(of: listed.episode.id),
            chapters: try await library.chapters(of: listed.episode)
        ).jsonRows.joined()
    }

    /// Stores the current position. A later position from another device is kept.
    func position(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try context.episodeID()
        let form = try await request.form(maxBytes: 1_024)
        guard let seconds = form["seconds"].flatMap({ Double($0) }), (0...1e6).contains(seconds) else {
            throw HTTPError(.badRequest)
        }
        guard try await !site.reader.episodes.episodes([id]).isEmpty else { throw HTTPError(.notFound) }
        let duration = form["duration"].flatMap { Double($0) }.flatMap { (1...1e6).contains($0) ? $0 : nil }
        var position = PlayPosition(episodeID: id, seconds: seconds, duration: duration, at: try form.moment(context))
        // What could not be told at once says nothing about now.
        if form["age"] == nil {
            position.speed = form["speed"].flatMap { Double($0) }.flatMap { (0.1...16).contains($0) ? $0 : nil }
        }
        try await site.writer.positions.save(position, now: context.time)
        return Response(status: .noContent)
    }

    /// Marks the episode as heard to its end, and responds with the next one of the queue.
    func finished(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try context.episodeID()
        let moment = try await request.form(maxBytes: 1_024).moment(context)
        guard try await !site.reader.episodes.episodes([id]).isEmpty else { throw HTTPError(.notFound) }
        // Finishing takes it off the queue; the one behind it is still known now.
        let following = try await site.reader.queue.next(after: id)
        try await site.writer.positions.finish(id, now: moment)
        guard let following else { return Response(status: .noContent) }
        return .json(try await json(of: following, context))
    }

    /// What can be shown to others about an episode: titles and the publisher's addresses. Those of a private feed are left
    /// out.
    func share(_ request: Request, _ context: SiteContext) async throws -> Response {
        guard let listed = try await site.reader.listEpisodes.listed([try context.episodeID()]).first else {
            throw HTTPError(.notFound)
        }
        return .json(SharedEpisodeView(listed).jsonRows.joined())
    }
}

extension Form {
    /// When something was heard: `age` seconds ago if it could not be told at once.
    fileprivate func moment(_ context: SiteContext) throws -> Timestamp {
        guard let text = self["age"] else { return context.time }
        guard let age = Int64(text), (0...31_536_000).contains(age) else { throw HTTPError(.badRequest) }
        return context.time + -age
    }
}

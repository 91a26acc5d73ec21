import Composition
import Domain
import FoundationEssentials
import Glibc
import Presentation
import UseCases

/// Keeps the library and the apps in step: changes on either side are detected and passed to the other. In a conflict,
/// the later change wins.
actor AppStore {
    private let library: OpenLibrary
    private var file: StateFile<AppState>
    private var state = AppState()

    /// Number of stored actions. Apps that were away for longer get those that remain.
    private static let maxActions = 50_000

    init(_ library: OpenLibrary, folder: String) {
        self.library = library
        file = StateFile(folder + "/apps.json")
    }

    private func save() throws {
        if state.actions.count > Self.maxActions { state.actions.removeFirst(state.actions.count - Self.maxActions) }
        try file.write(state)
    }

    private func readIfChanged() {
        if let stored = file.readIfChanged() { state = stored }
    }

    /// Runs `body` on the current state. Until it ends, the state is changed neither by another server nor by another
    /// task that comes here.
    private func exclusively<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let lock = try await file.lock()
        defer { close(lock) }
        readIfChanged()
        return try await body()
    }

    // MARK: Devices and settings

    var devices: [String: AppState.Device] {
        readIfChanged()
        return state.devices
    }

    func setDevice(_ name: String, caption: String?, type: String?) async throws {
        try await exclusively {
            var device = state.devices[name] ?? AppState.Device(caption: name, type: "other")
            device.caption = caption ?? device.caption
            device.type = type ?? device.type
            state.devices[name] = device
            try save()
        }
    }

    func settings(_ scope: String) -> [String: JSONValue] {
        readIfChanged()
        guard let text = state.settings[scope] else { return [:] }
        return (try? JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))) ?? [:]
    }

    func changeSettings(_ scope: String, set: [String: JSONValue], remove: [String]) async throws -> [String: JSONValue] {
        try await exclusively {
            var all = settings(scope).merging(set) { _, new in new }
            for name in remove { all[name] = nil }
            state.settings[scope] = String(decoding: try JSONEncoder().encode(all), as: UTF8.self)
            try save()
            return all
        }
    }

    // MARK: Subscriptions

    /// Every feed URL, in the library's order.
    func subscriptions() async throws -> [Podcast] { try await library.fetchPodcasts() }

    /// Notes subscriptions that were changed without an app.
    private func noteSubscriptions(now: Timestamp) async throws {
        let current = Set(try await subscriptions().map(\.feedURL))
        guard current != state.subscribed else { return }
        for url in current.subtracting(state.subscribed).sorted() {
            state.changes.append(.init(url: url, isAdded: true, at: state.tick(now.seconds)))
        }
        for url in state.subscribed.subtracting(current).sorted() {
            state.changes.append(.init(url: url, isAdded: false, at: state.tick(now.seconds)))
        }
        state.subscribed = current
        try save()
    }

    func subscriptionChanges(since time: Int64, now: Timestamp) async throws -> (added: [String], removed: [String], time: Int64)
    {
        try await exclusively {
            try await noteSubscriptions(now: now)
            let changes = state.changes(since: time)
            return (changes.added, changes.removed, state.clock + 1)
        }
    }

    /// - Returns: the addresses that were rewritten, with the new ones; an empty one stands for an invalid address.
    func changeSubscriptions(
        add: [String], remove: [String], now: Timestamp
    ) async throws -> (rewritten: [(from: String, to: String)], time: Int64) {
        try await exclusively { try await change(add: add, remove: remove, now: now) }
    }

    private func change(
        add: [String], remove: [String], now: Timestamp
    ) async throws -> (rewritten: [(from: String, to: String)], time: Int64) {
        try await noteSubscriptions(now: now)
        var rewritten: [(from: String, to: String)] = []
        func address(_ text: String) -> String? {
            let url = FeedURL.parse(text).flatMap { WebURL($0.url)?.text }
            if url != text { rewritten.append((text, url ?? "")) }
            return url
        }
        // The text as sent may have a user and a password, which the address lacks.
        let outlines = add.filter { address($0) != nil }.map { OPMLOutline(feedURL: $0) }
        if !outlines.isEmpty { _ = try await ImportSubscriptions(library.repositories)(outlines, now: now) }
        let leaving = try await library.podcasts.podcasts(at: remove.compactMap(address))
        if !leaving.isEmpty { try await library.unsubscribe(leaving, keepingEpisodes: false, now: now) }
        try await noteSubscriptions(now: now)
        return (rewritten, state.clock + 1)
    }

    /// Applies a device's whole list: subscriptions that were in its previous list and are missing now are removed.
    func replaceSubscriptions(of device: String, with urls: [String], now: Timestamp) async throws {
        try await exclusively {
            let before = state.devices[device]?.sent ?? []
            _ = try await change(add: urls, remove: before.filter { !urls.contains($0) }, now: now)
            var deviceState = state.devices[device] ?? AppState.Device(caption: device, type: "other")
            deviceState.sent = urls
            state.devices[device] = deviceState
            try save()
        }
    }

    // MARK: Episode actions

    func actions(since time: Int64, podcast: String?, now: Timestamp) async throws -> (actions: [EpisodeAction], time: Int64) {
        try await exclusively {
            try await notePositions(now: now)
            let wanted = state.actions.filter { ($0.arrived ?? 0) >= time && (podcast == nil || $0.podcast == podcast) }
            return (wanted, state.clock + 1)
        }
    }

    /// - Returns: the time to ask from next.
    func add(_ actions: [EpisodeAction], now: Timestamp) async throws -> Int64 {
        try await exclusively {
            try await notePositions(now: now)
            for var action in actions {
                action.action = action.action.lowercased()
                // A device whose clock is fast must not outlast what is heard later on others.
                let at = min(now, action.timestamp.flatMap { ActionTime.parse($0) } ?? now)
                action.timestamp = ActionTime.text(at)
                action.arrived = state.tick(now.seconds)
                state.actions.append(action)
                if let episode = try await episode(of: action) { try await apply(action, to: episode, at: at, now: now) }
            }
            try save()
            return state.clock + 1
        }
    }

    private func episode(of action: EpisodeAction) async throws -> EpisodeID? {
        guard let url = FeedURL.parse(action.podcast)?.url, let podcast = try await library.podcasts.podcast(at: url) else {
            return nil
        }
        let episodes = try await library.episodes.episodes(of: podcast.id)
        let match =
            episodes.first { $0.item.enclosures.contains { $0.url == action.episode } }
            ?? episodes.first { action.guid != nil && $0.item.guid == action.guid }
        return match?.id
    }

    /// Applies an app's action to the tags and positions of the library.
    private func apply(_ action: EpisodeAction, to episode: EpisodeID, at time: Timestamp, now: Timestamp) async throws {
        switch action.action {
        case "play":
            guard let position = action.position, position >= 0 else { return }
            let stored = try await library.positions(of: episode)
            // A later position from elsewhere is kept.
            if let stored, stored.at > time { return }
            if let total = action.total, total > 0, position >= total - 1 {
                try await library.positions.finish(episode, now: now)
                state.played.insert(episode.text)
                state.positions[episode.text] = nil
            } else {
                try await library.positions.save(
                    PlayPosition(
                        episodeID: episode, seconds: Double(position),
                        duration: action.total.flatMap { $0 > 0 ? Double($0) : nil },
                        at: time))
                state.positions[episode.text] = time.seconds
            }
        case "delete": try await library.tag(TagEdit(removing: [.new]), [episode])
        case "new":
            try await library.tag(TagEdit(adding: [.new], removing: [.played]), [episode])
            state.played.remove(episode.text)
        default: break
        }
    }

    /// Turns positions and played episodes that did not come from an app into actions.
    private func notePositions(now: Timestamp) async throws {
        let positions = try await library.positions.all()
        let moved = positions.values.filter { state.positions[$0.episodeID.text] != $0.at.seconds }
        let played = try await library.tags.episodes(tagged: [.played])[.played] ?? []
        let finished = played.filter { !state.played.contains($0.text) }
        guard !moved.isEmpty || !finished.isEmpty else { return }
        let listed = try await library.listEpisodes.listed(moved.map(\.episodeID) + finished)
        let byID = Dictionary(listed.map { ($0.episode.id, $0) }, uniquingKeysWith: { first, _ in first })
        for position in moved.sorted(by: { $0.at < $1.at }) {
            state.positions[position.episodeID.text] = position.at.seconds
            guard let episode = byID[position.episodeID] else { continue }
            let total = (position.duration ?? episode.episode.item.duration).map { Int(bounded: $0) }
            note(episode, position: Int(bounded: position.seconds), total: total, at: position.at, now: now)
        }
        for id in finished {
            state.played.insert(id.text)
            guard let episode = byID[id] else { continue }
            let total = max(1, Int(bounded: episode.episode.item.duration ?? 1))
            note(episode, position: total, total: total, at: now, now: now)
        }
        try save()
    }

    private func note(_ listed: ListedEpisode, position: Int, total: Int?, at time: Timestamp, now: Timestamp) {
        guard let url = listed.episode.item.chosenEnclosure?.url else { return }
        var action = EpisodeAction(podcast: listed.podcast.feedURL, episode: url, action: "play")
        (action.guid, action.device, action.timestamp) = (listed.episode.item.guid, "jimmy", ActionTime.text(time))
        (action.started, action.position, action.total) = (0, position, total)
        action.arrived = state.tick(now.seconds)
        state.actions.append(action)
    }
}

/// Times in the format of the API.
enum ActionTime {
    /// `2026-11-22T15:00:00`, in UTC.
    static func text(_ time: Timestamp) -> String { String(time.description.prefix(19)) }

    /// Accepts fractions, `Z`, and seconds since 1970 up to the year 9999 as well; nil for anything else.
    static func parse(_ text: String) -> Timestamp? {
        if let seconds = Int64(text), case let time = Timestamp(seconds: seconds) {
            return seconds >= 0 && Timestamp.writable.contains(time) ? time : nil
        }
        return Timestamp(text.prefix(19).replacing(" ", with: "T") + "Z")
    }
}

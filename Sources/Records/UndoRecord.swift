public import Domain
public import JSON

/// The members of an undo step's document.
public struct UndoRecord {
    private var command: UndoMark.Command?
    private var content = UndoStep(.tag, at: Timestamp(seconds: 0))

    public init() {}

    public var step: UndoStep? {
        guard let command else { return nil }
        var step = content
        step.mark.command = command
        return step
    }

    // MARK: Writing

    public static func write(_ step: UndoStep, to json: inout JSONWriter) {
        json.text("command", step.mark.command.rawValue)
        json.time("at", step.mark.at)
        json.flag("redo", step.isRedo ? true : nil)
        json.flag("keepsEpisodes", step.keepsEpisodes ? true : nil)
        array("removed", step.removed, &json) { podcast, json in
            json.text("podcast", podcast.id.text)
            PodcastRecord.write(podcast, since: nil, to: &json)
            if let own = podcast.credentials { json.object("credentials", own.write) }
        }
        json.texts("added", step.added.map(\.text))
        array("edited", step.edited, &json) { edit, json in
            json.text("podcast", edit.id.text)
            json.object("before") { write(edit.before, of: edit.id, to: &$0) }
            json.object("after") { write(edit.after, of: edit.id, to: &$0) }
        }
        let changes = step.tags.changes.sorted { $0.value.lexicographicallyPrecedes($1.value) }
        array("tags", changes, &json) { change, json in
            json.texts("added", change.key.added.sorted().map(\.text))
            json.texts("removed", change.key.removed.sorted().map(\.text))
            json.texts("episodes", change.value.map(\.text))
        }
        array("waiting", step.tags.waiting, &json) { $0.write(to: &$1) }
        array("settled", step.tags.settled, &json) { $0.write(to: &$1) }
        array("queue", step.queue.removed, &json, write)
        array("queued", step.queue.added, &json, write)
        array("positions", step.positions, &json) { position, json in
            json.text("episode", position.episode.text)
            if let before = position.before { json.object("before", before.write) }
            if let after = position.after { json.object("after", after.write) }
        }
    }

    private static func write(_ place: QueuePlace, to json: inout JSONWriter) {
        json.integer("index", place.index)
        json.text("episode", place.entry.episodeID.text)
        json.time("addedAt", place.entry.addedAt)
    }

    private static func array<Element>(
        _ name: StaticString, _ elements: [Element], _ json: inout JSONWriter, _ write: (Element, inout JSONWriter) -> Void
    ) {
        guard !elements.isEmpty else { return }
        json.array(name) { json in for element in elements { json.object { write(element, &$0) } } }
    }

    private static func write(_ state: EditedPodcast.State, of id: PodcastID, to json: inout JSONWriter) {
        var podcast = Podcast(
            id: id, feedURL: state.feedURL, credentials: state.credentials, subscribedAt: Timestamp(seconds: 0))
        podcast.settings = state.settings
        PodcastRecord.writeSubscription(podcast, since: nil, to: &json)
        if let own = state.credentials { json.object("credentials", own.write) }
    }

    // MARK: Reading

    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "command": command = UndoMark.Command(rawValue: try json.string())
        case "at": content.mark.at = try json.time()
        case "redo": content.isRedo = try json.bool()
        case "keepsEpisodes": content.keepsEpisodes = try json.bool()
        case "added": content.added = try json.strings().map { PodcastID(text: $0) }
        case "removed": content.removed = try json.list { try Self.podcast(&$0) }
        case "edited": content.edited = try json.list { try Self.edit(&$0) }
        case "tags": content.tags.changes = Dictionary(try json.list { try Self.change(&$0) }) { $0 + $1 }
        case "waiting": content.tags.waiting = try json.list { try TagLine(from: &$0) }
        case "settled": content.tags.settled = try json.list { try TagLine(from: &$0) }
        case "queue": content.queue.removed = try json.list { try Self.place(&$0) }
        case "queued": content.queue.added = try json.list { try Self.place(&$0) }
        case "positions": content.positions = try json.list { try Self.position(&$0) }
        default: try json.skip()
        }
    }

    /// - Parameter id: the podcast; nil if the object's first member is its id.
    private static func podcast(_ json: inout JSONReader, _ id: PodcastID? = nil) throws -> Podcast {
        var podcast = id.map { Podcast(id: $0, feedURL: "", subscribedAt: Timestamp(seconds: 0)) }
        try json.object { json, key in
            guard podcast != nil else {
                guard key == "podcast" else { throw json.error(.unexpected) }
                let id = PodcastID(text: try json.string())
                podcast = Podcast(id: id, feedURL: "", subscribedAt: Timestamp(seconds: 0))
                return
            }
            if key == "credentials" {
                podcast?.credentials = try Credentials(from: &json)
            } else {
                try podcast?.readMember(from: &json)
            }
        }
        guard let podcast else { throw json.error(.unexpected) }
        return podcast
    }

    private static func edit(_ json: inout JSONReader) throws -> EditedPodcast {
        var (id, before, after) = (PodcastID?.none, EditedPodcast.State?.none, EditedPodcast.State?.none)
        try json.object { json, key in
            switch (key, id) {
            case ("podcast", _): id = PodcastID(text: try json.string())
            case ("before", let id?): before = EditedPodcast.State(try podcast(&json, id))
            case ("after", let id?): after = EditedPodcast.State(try podcast(&json, id))
            default: try json.skip()
            }
        }
        guard let id, let before, let after else { throw json.error(.unexpected) }
        return EditedPodcast(id: id, before: before, after: after)
    }

    private static func change(_ json: inout JSONReader) throws -> (TagReversal.Change, [EpisodeID]) {
        var change = TagReversal.Change(added: [], removed: [])
        var episodes: [EpisodeID] = []
        try json.object { json, key in
            switch key {
            case "added": change.added = Set(try json.list { try $0.string() }.compactMap { Tag($0) })
            case "removed": change.removed = Set(try json.list { try $0.string() }.compactMap { Tag($0) })
            case "episodes": episodes = try json.list { try $0.string() }.compactMap { EpisodeID(text: $0) }
            default: try json.skip()
            }
        }
        return (change, episodes)
    }

    private static func place(_ json: inout JSONReader) throws -> QueuePlace {
        var (index, id, addedAt) = (0, EpisodeID?.none, Timestamp(seconds: 0))
        try json.object { json, key in
            switch key {
            case "index": index = try json.integer()
            case "episode": id = EpisodeID(text: try json.string())
            case "addedAt": addedAt = try json.time()
            default: try json.skip()
            }
        }
        guard let id else { throw json.error(.unexpected) }
        return QueuePlace(index: index, entry: QueueEntry(episodeID: id, addedAt: addedAt))
    }

    private static func position(_ json: inout JSONReader) throws -> PositionReversal {
        var (id, before, after) = (EpisodeID?.none, PlayPosition?.none, PlayPosition?.none)
        try json.object { json, key in
            switch key {
            case "episode": id = EpisodeID(text: try json.string())
            case "before": before = try PlayPosition(from: &json)
            case "after": after = try PlayPosition(from: &json)
            default: try json.skip()
            }
        }
        guard let id else { throw json.error(.unexpected) }
        return PositionReversal(episode: id, before: before, after: after)
    }
}

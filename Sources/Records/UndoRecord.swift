import Addresses
public import Domain
public import JSON

/// The members of an undo step's document.
public struct UndoRecord {
    private var command: UndoMark.Command?
    private var content = UndoStep(.tag, at: Timestamp(seconds: 0))

    public init() {}

    private init(_ step: UndoStep) { (command, content) = (step.mark.command, step) }

    public var step: UndoStep? {
        guard let command else { return nil }
        var step = content
        step.mark.command = command
        return step
    }

    private mutating func list<L: FieldList>(_ list: inout L) {
        list.text("command", &command)
        list.time("at", &content.mark.at)
        list.flag("redo", &content.isRedo)
        list.texts("keepingEpisodes", &content.keepingEpisodes)
        list.texts("added", &content.added)
        list.objects("tags", &content.tags.changes, as: TagChange.changes) {
            Dictionary($0.map { ($0.change, $0.episodes) }) { $0 + $1 }
        }
        list.objects("waiting", &content.tags.waiting)
        list.objects("settled", &content.tags.settled)
        list.objects("queue", &content.queue.removed)
        list.objects("queued", &content.queue.added)
        list.objects("positions", &content.positions)
        list.objects("unmarked", &content.bookmarks.removed)
        list.objects("marked", &content.bookmarks.added)
        list.object("setting", &content.setting)
    }

    // MARK: Writing

    public static func write(_ step: UndoStep, to json: inout JSONWriter) {
        var record = UndoRecord(step)
        record.list(&json)
        array("removed", step.removed, &json) { podcast, json in
            json.text("podcast", podcast.id.text)
            PodcastRecord.write(podcast, since: nil, to: &json)
            json.object("credentials", podcast.credentials)
        }
        array("edited", step.edited, &json) { edit, json in
            json.text("podcast", edit.id.text)
            json.object("before") { write(edit.before, of: edit.id, to: &$0) }
            json.object("after") { write(edit.after, of: edit.id, to: &$0) }
        }
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
        (podcast.settings, podcast.fetch) = (state.settings, state.fetch)
        PodcastRecord.write(podcast, since: nil, to: &json)
        json.object("credentials", state.credentials)
    }

    // MARK: Reading

    public mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "removed": content.removed = try json.list { try Self.podcast(&$0) }
        case "edited": content.edited = try json.list { try Self.edit(&$0) }
        default: try json.member { list(&$0) }
        }
    }

    /// - Parameter id: the podcast; nil if the object's first member is its id.
    private static func podcast(_ json: inout JSONReader, _ id: PodcastID? = nil) throws -> Podcast {
        var podcast = Podcast(id: id ?? PodcastID(text: ""), feedURL: "", subscribedAt: Timestamp(seconds: 0))
        var isNamed = id != nil
        try json.members { json in
            if !isNamed {
                json.member("podcast") {
                    podcast = Podcast(id: PodcastID(text: try $0.string()), feedURL: "", subscribedAt: podcast.subscribedAt)
                    isNamed = true
                }
            }
            guard isNamed else { throw json.error(.unexpected) }
            podcast.list(&json, since: PodcastRecord.new)
            json.object("credentials", &podcast.credentials)
        }
        guard isNamed else { throw json.error(.unexpected) }
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
}

/// A change of tags and its episodes.
private struct TagChange: ReadableFields {
    var change = TagReversal.Change(added: [], removed: [])
    var episodes: [EpisodeID] = []

    static func changes(_ changes: [TagReversal.Change: [EpisodeID]]) -> [TagChange] {
        changes.sorted { $0.value.lexicographicallyPrecedes($1.value) }.map { change in
            var entry = TagChange()
            (entry.change, entry.episodes) = (change.key, change.value)
            return entry
        }
    }

    mutating func list<L: FieldList>(_ list: inout L) {
        list.texts("added", &change.added)
        list.texts("removed", &change.removed)
        list.texts("episodes", &episodes, as: { $0.map(\.text) }) { $0.compactMap { EpisodeID(text: $0) } }
    }
}

extension QueuePlace: ReadableFields {
    public init() { self.init(index: 0, entry: QueueEntry()) }

    public var isWhole: Bool { entry.isWhole }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.integer("index", &index)
        entry.list(&list)
    }
}

extension PositionReversal: ReadableFields {
    public init() { self.init(episode: .unknown, before: nil, after: nil) }

    public var isWhole: Bool { episode != .unknown }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("episode", &episode)
        list.object("before", &before)
        list.object("after", &after)
    }
}

extension SettingReversal: ReadableFields {
    public init() { self.init("", before: nil, after: nil) }

    public mutating func list<L: FieldList>(_ list: inout L) {
        list.text("name", &name)
        list.text("before", &before)
        list.text("after", &after)
    }
}

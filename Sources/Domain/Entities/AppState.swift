/// What podcast apps have been told or have sent, besides the library's own data: their devices, and the times of
/// changes.
public struct AppState: Codable, Equatable, Sendable {
    public struct Device: Codable, Equatable, Sendable {
        public var caption: String
        public var type: String
        /// The list that the device last sent. A subscription that is missing from its next list was removed there.
        public var sent: [String]?
    }

    public struct Change: Codable, Equatable, Sendable {
        public var url: String
        public var isAdded: Bool
        public var at: Int64
    }

    /// The time of the last change or action. Each gets a later time than the one before, so that none is missed or
    /// sent twice.
    public var clock: Int64 = 0
    public var devices: [String: Device] = [:]
    /// Feed URLs that apps have been told or have sent.
    public var subscribed: Set<String> = []
    public var changes: [Change] = []
    public var actions: [EpisodeAction] = []
    /// Positions of the library that apps have, by episode: their times in seconds since 1970.
    public var positions: [String: Int64] = [:]
    public var played: Set<String> = []
    /// JSON as the apps sent it, by scope, device, podcast and episode.
    public var settings: [String: String] = [:]

    /// Number of stored actions. Apps that were away for longer get those that remain.
    private static let maxActions = 50_000

    public init() {}

    /// The next time, at least `now`.
    private mutating func tick(_ now: Timestamp) -> Int64 {
        clock = max(clock + 1, now.seconds)
        return clock
    }

    /// The time from which an app should ask next.
    public var nextTime: Int64 { clock + 1 }

    /// Adds a device, or changes what is given.
    public mutating func setDevice(_ name: String, caption: String?, type: String?) {
        var device = devices[name] ?? Device(caption: name, type: "other")
        device.caption = caption ?? device.caption
        device.type = type ?? device.type
        devices[name] = device
    }

    /// Stores a device's whole list.
    ///
    /// - Returns: the subscriptions that were removed on the device: those of its previous list that are missing now.
    public mutating func replaceList(of device: String, with urls: [String]) -> [String] {
        setDevice(device, caption: nil, type: nil)
        let before = devices[device]?.sent ?? []
        devices[device]?.sent = urls
        let remaining = Set(urls)
        return before.filter { !remaining.contains($0) }
    }

    /// Notes subscriptions that were changed without an app.
    public mutating func note(subscriptions current: Set<String>, now: Timestamp) {
        guard current != subscribed else { return }
        for url in current.subtracting(subscribed).sorted() {
            changes.append(Change(url: url, isAdded: true, at: tick(now)))
        }
        for url in subscribed.subtracting(current).sorted() {
            changes.append(Change(url: url, isAdded: false, at: tick(now)))
        }
        subscribed = current
    }

    /// The last change of each address since a time.
    public func changes(since time: Int64) -> (added: [String], removed: [String]) {
        var last: [String: Bool] = [:]
        for change in changes where change.at >= time { last[change.url] = change.isAdded }
        return (last.filter(\.value).keys.sorted(), last.filter { !$0.value }.keys.sorted())
    }

    /// Adds an action, with the time of its arrival.
    public mutating func note(_ action: EpisodeAction, now: Timestamp) {
        var action = action
        action.arrived = tick(now)
        actions.append(action)
        // In steps, since removing the first moves all.
        if actions.count > Self.maxActions * 11 / 10 { actions.removeFirst(actions.count - Self.maxActions) }
    }

    /// The actions that arrived since a time.
    ///
    /// - Parameter podcast: only those of this feed URL; nil for all.
    public func actions(since time: Int64, podcast: String?) -> [EpisodeAction] {
        actions.filter { ($0.arrived ?? 0) >= time && (podcast == nil || $0.podcast == podcast) }
    }
}

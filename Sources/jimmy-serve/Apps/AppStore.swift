import Composition
import Domain
import FoundationEssentials
import Glibc
import UseCases

/// What podcast apps have been told or have sent, in a file that the servers of one user share.
actor AppStore {
    private let library: OpenLibrary
    private var file: StateFile<AppState>
    private var state = AppState()

    init(_ library: OpenLibrary, folder: String) {
        self.library = library
        file = StateFile(folder + "/apps.json")
    }

    private var current: AppState {
        if let stored = file.readIfChanged() { state = stored }
        return state
    }

    /// Changes the state and stores it, unless it stays as it is. Until `body` ends, the state is changed neither by another
    /// server nor by another task that comes here.
    private func change<Result: Sendable>(_ body: (inout AppState) async throws -> Result) async throws -> Result {
        let lock = try await file.lock()
        defer { close(lock) }
        let before = current
        var changed = before
        let result = try await body(&changed)
        if changed != before {
            try file.write(changed)
            state = changed
        }
        return result
    }

    // MARK: Devices and settings

    var devices: [String: AppState.Device] { current.devices }

    func setDevice(_ name: String, caption: String?, type: String?) async throws {
        try await change { $0.setDevice(name, caption: caption, type: type) }
    }

    func settings(_ scope: String) -> [String: JSONValue] { Self.settings(scope, in: current) }

    private static func settings(_ scope: String, in state: AppState) -> [String: JSONValue] {
        guard let text = state.settings[scope] else { return [:] }
        return (try? JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))) ?? [:]
    }

    func changeSettings(_ scope: String, set: [String: JSONValue], remove: [String]) async throws -> [String: JSONValue] {
        try await change { state in
            var all = Self.settings(scope, in: state).merging(set) { _, new in new }
            for name in remove { all[name] = nil }
            state.settings[scope] = String(decoding: try JSONEncoder().encode(all), as: UTF8.self)
            return all
        }
    }

    // MARK: Subscriptions

    /// Every feed URL, in the library's order.
    func subscriptions() async throws -> [Podcast] { try await library.fetchPodcasts() }

    func subscriptionChanges(since time: Int64, now: Timestamp) async throws -> (added: [String], removed: [String], time: Int64)
    {
        try await change { state in
            try await library.syncAppSubscriptions.note(in: &state, now: now)
            let changes = state.changes(since: time)
            return (changes.added, changes.removed, state.nextTime)
        }
    }

    /// - Returns: the addresses that were rewritten, with the new ones; an empty one stands for an invalid address.
    func changeSubscriptions(
        add: [String], remove: [String], now: Timestamp
    ) async throws -> (rewritten: [(from: String, to: String)], time: Int64) {
        try await change { state in
            let rewritten = try await library.syncAppSubscriptions.change(add: add, remove: remove, in: &state, now: now)
            return (rewritten, state.nextTime)
        }
    }

    /// Applies a device's whole list.
    func replaceSubscriptions(of device: String, with urls: [String], now: Timestamp) async throws {
        try await change { state in
            let removed = state.replaceList(of: device, with: urls)
            _ = try await library.syncAppSubscriptions.change(add: urls, remove: removed, in: &state, now: now)
        }
    }

    // MARK: Episode actions

    func actions(since time: Int64, podcast: String?, now: Timestamp) async throws -> (actions: [EpisodeAction], time: Int64) {
        try await change { state in
            try await library.syncAppActions.note(in: &state, now: now)
            return (state.actions(since: time, podcast: podcast), state.nextTime)
        }
    }

    /// - Returns: the time to ask from next.
    func add(_ actions: [EpisodeAction], now: Timestamp) async throws -> Int64 {
        try await change { state in
            try await library.syncAppActions.add(actions, to: &state, now: now)
            return state.nextTime
        }
    }
}

public import Domain
import Synchronization

/// Plays an episode and keeps the owner's place in it.
public struct ListenToEpisode: Sendable {
    private let positions: PlaybackPositions
    private let queue: ManageQueue
    private let clock: @Sendable () -> Timestamp

    /// Seconds between two stores of the position.
    private static let storeInterval = 5.0

    public init(positions: PlaybackPositions, queue: ManageQueue, clock: @escaping @Sendable () -> Timestamp) {
        self.positions = positions
        self.queue = queue
        self.clock = clock
    }

    /// What to play if nothing is named: the queue's first episode, or else the one that was stopped last.
    public func next() async throws -> ListedEpisode? {
        if let first = try await queue.next() { return first }
        for position in try await positions.begun(limit: .max) {
            if let episode = try await queue.listing.listed([position.episodeID]).first { return episode }
        }
        return nil
    }

    /// Seconds into the episode at which to go on.
    ///
    /// - Parameters:
    ///   - rewind: seconds that are heard again.
    ///   - intro: seconds at the beginning that are not played.
    public func start(of episode: EpisodeID, rewind: Double, intro: Double) async throws -> Double {
        max((try await positions(of: episode)?.seconds ?? 0) - rewind, intro, 0)
    }

    public enum Result: Equatable, Sendable {
        case played
        /// - Parameter isNext: true if `next` gives this episode.
        case stopped(seconds: Double, duration: Double?, isNext: Bool)
    }

    /// Plays an episode to the end of its player. The position is stored every few seconds, and when the player ends.
    ///
    /// - Parameter within: see `Playback.ending`.
    /// - Returns: the exit of the player, and what became of the episode; nil if nothing was heard and nothing changed.
    public func callAsFunction(
        _ episode: Episode, _ request: PlayRequest, by player: any MediaPlayer, playedWithin within: Double
    ) async throws -> (exit: PlayerOutcome.Exit, result: Result?) {
        let session = Session(Playback(from: request.start, duration: episode.item.duration))
        let before = try await positions.stored(episode.id)
        let clock = ContinuousClock()
        let begin = clock.now
        let outcome = await player.play(request) { report in
            let time = begin.duration(to: clock.now) / .seconds(1)
            guard let (playback, heard) = session.note(report, at: time, storingEvery: Self.storeInterval) else { return }
            // What cannot be stored now, because another program writes, is stored with the next report.
            if (try? await store(playback, of: episode.id, heard)) == nil { session.giveBack(heard) }
        }
        let (playback, heard) = session.take()
        switch playback.ending(outcome, playedWithin: within, outro: request.outro) {
        case .played:
            try await positions.end(position(playback, of: episode.id), heard: heard, isPlayed: true, since: before)
            return (outcome.exit, .played)
        case .stopped:
            try await positions.end(position(playback, of: episode.id), heard: heard, isPlayed: false, since: before)
            let isNext = try await next()?.episode.id == episode.id
            return (outcome.exit, .stopped(seconds: playback.seconds, duration: playback.duration, isNext: isNext))
        case .failed:
            if session.hasStored { try await positions.restore(before, of: episode.id) }
            return (outcome.exit, nil)
        }
    }

    private func position(_ playback: Playback, of episode: EpisodeID) -> PlayPosition {
        PlayPosition(episodeID: episode, seconds: playback.seconds, duration: playback.duration, at: clock())
    }

    private func store(_ playback: Playback, of episode: EpisodeID, _ heard: Double) async throws {
        var position = position(playback, of: episode)
        position.speed = playback.speed
        try await positions.save(position, heard: heard)
    }
}

/// One playing, seen from the reports of its player.
private final class Session: Sendable {
    private struct State {
        var playback: Playback
        var storedAt = 0.0
        var storedHeard = 0.0
        /// What was stored last; nil for nothing.
        var stored: Playback?
    }

    private let state: Mutex<State>

    init(_ playback: Playback) { state = Mutex(State(playback: playback)) }

    var hasStored: Bool { state.withLock { $0.stored != nil } }

    /// - Returns: what is to be stored now, with the seconds heard since the last time; nil for nothing.
    func note(_ report: PlayerReport, at time: Double, storingEvery interval: Double) -> (Playback, heard: Double)? {
        state.withLock { state in
            let before = state.playback.seconds
            state.playback.note(report, at: time)
            let isDue = time - state.storedAt >= interval && state.playback.seconds != before
            // A pause and its end are stored at once, because the place is reckoned from what was stored last.
            let isTurn = state.stored.map { ($0.speed == nil) != (state.playback.speed == nil) } ?? false
            guard isDue || isTurn else { return nil }
            let heard = state.playback.heard - state.storedHeard
            (state.storedAt, state.storedHeard, state.stored) = (time, state.playback.heard, state.playback)
            return (state.playback, heard)
        }
    }

    func giveBack(_ heard: Double) { state.withLock { $0.storedHeard -= heard } }

    func take() -> (Playback, heard: Double) { state.withLock { ($0.playback, $0.playback.heard - $0.storedHeard) } }
}

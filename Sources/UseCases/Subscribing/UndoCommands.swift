public import Domain
public import Results
import Scheduling

/// Takes commands back, and does them again.
public struct UndoCommands: Sendable {
    private let undo: any UndoRepository
    private let podcasts: any PodcastRepository
    private let unsubscribe: UnsubscribeFromPodcast
    private let settings: any SettingsRepository
    private let reconcile: ReconcileIndex?

    public init(
        _ library: Repositories, unsubscribe: UnsubscribeFromPodcast, settings: any SettingsRepository,
        reconcile: ReconcileIndex?
    ) {
        undo = library.undo
        podcasts = library.podcasts
        self.unsubscribe = unsubscribe
        self.settings = settings
        self.reconcile = reconcile
    }

    /// The commands that can be taken back, latest first.
    public func list(now: Timestamp) async throws -> [NumberedStep] {
        try await undo.steps().filter {
            !$0.step.isRedo && !$0.step.mark.command.isFinal && $0.step.mark.at >= now + -UndoStep.lifetime
        }
    }

    /// Notes the podcasts that were added.
    public func recordAdded(_ outcomes: [SubscribeOutcome], now: Timestamp) async throws {
        var step = UndoStep(.subscribe, at: now)
        for outcome in outcomes {
            guard case .subscribed = outcome.kind, let id = outcome.podcast?.id else { continue }
            step.added.append(id)
            if outcome.hasKeptEpisodes { step.keepingEpisodes.insert(id) }
        }
        try await undo.record(step, keepingRedo: false)
    }

    /// Notes the podcasts that were added.
    public func recordAdded(_ verdicts: [ImportVerdict], now: Timestamp) async throws {
        var step = UndoStep(.importOPML, at: now)
        step.add(verdicts)
        try await undo.record(step, keepingRedo: false)
    }

    /// Notes that a setting changes. Called before it does.
    public func recordSetting(_ change: SettingReversal, now: Timestamp) async throws {
        var step = UndoStep(.configSet, at: now)
        step.setting = change
        try await undo.record(step, keepingRedo: false)
    }

    /// Notes a change that cannot be taken back, in place of one before it.
    public func recordFinal(_ command: UndoMark.Command, now: Timestamp) async throws {
        let (step, last) = (UndoStep(command, at: now), try await undo.steps().first { !$0.step.isRedo })
        guard let last, last.step.mark.command.isFinal else { return try await undo.record(step, keepingRedo: true) }
        try await undo.changeOwned(of: [], settling: last.number) { _ in ((), step) }
    }

    /// Takes back the last command that changed something; uses no network.
    ///
    /// - Parameters:
    ///   - number: the number of a step of `list`; nil for the last one.
    ///   - redo: true to do again what was taken back last.
    /// - Returns: nil if there is none. Empty if all that the command changed was changed again since; an earlier command is
    ///   not taken back in its place.
    /// - Throws: `UndoFailure` if that cannot be taken back; then nothing changes.
    public func callAsFunction(_ number: Int? = nil, redo: Bool = false, now: Timestamp) async throws -> UndoChange? {
        let steps = try await undo.steps()
        let wanted = steps.first { $0.step.isRedo == redo && number ?? $0.number == $0.number }
        guard let wanted, wanted.step.mark.at >= now + -UndoStep.lifetime else { return nil }
        if wanted.step.mark.command.isFinal {
            let earlier = try await list(now: now).first { $0.number < wanted.number }
            throw UndoFailure.isFinal(
                wanted.step.mark, earlier: earlier.map { UndoFailure.Numbered(number: $0.number, mark: $0.step.mark) })
        }
        let addedSince = steps.filter { $0.number > wanted.number && !$0.step.isRedo }.flatMap(\.step.added)
        let reversal = try await revert(wanted, addedSince: Set(addedSince))
        // An index that cannot be written now is reconciled later.
        if !reversal.subscribed.isEmpty || !reversal.edited.isEmpty { _ = try? await reconcile?() }
        return reversal
    }

    /// The step that takes the reversal back is durable before any change, and the step itself is deleted last. Each part
    /// detects its own result, so a reversal that was killed and runs again applies nothing twice.
    ///
    /// - Parameter addedSince: the podcasts that later commands subscribed to.
    private func revert(_ numbered: NumberedStep, addedSince: Set<PodcastID>) async throws -> UndoChange {
        let step = numbered.step
        var reversal = UndoChange(step)
        guard step.added.isEmpty else {
            reversal.unsubscribed = try await podcasts.podcasts(step.added)
            reversal.owned = try await unsubscribe(reversal.unsubscribed, reverting: numbered)
            return reversal
        }
        let returning = try await returning(step.removed, addedSince)
        let edits = try await edits(step.edited, addedSince)
        // A setting that was changed since stays.
        reversal.setting = try step.setting.flatMap { try settings.value(of: $0.name) == $0.after ? $0 : nil }
        let inverse = try await inverse(of: step, returning, edits, reversal.setting)
        try await undo.record(inverse, keepingRedo: true)
        if let setting = reversal.setting { try settings.set(setting.name, to: setting.before) }
        if !returning.isEmpty { reversal.owned = try await revertOwned(step) }
        reversal.subscribed = try await returning.isEmpty ? [] : undo.restore(returning, of: numbered.number)
        for change in edits {
            _ = try await podcasts.change(change.before) { change.edit.reverted($0, isTaken: change.isTaken) }
        }
        reversal.edited = edits.map { ($0.before, $0.after) }
        let owned = try await settle(numbered, leaving: inverse)
        if returning.isEmpty { reversal.owned = owned }
        return reversal
    }

    /// The step that takes a reversal back, as far as it is known before any change.
    private func inverse(
        of step: UndoStep, _ returning: [Podcast], _ edits: [Edit], _ setting: SettingReversal?
    ) async throws -> UndoStep {
        var inverse = UndoStep(step.mark)
        (inverse.isRedo, inverse.keepingEpisodes) = (!step.isRedo, step.keepingEpisodes)
        inverse.added = returning.map(\.id)
        inverse.edited = edits.map {
            EditedPodcast(id: $0.before.id, before: EditedPodcast.State($0.before), after: EditedPodcast.State($0.after))
        }
        inverse.setting = setting?.inverse
        guard step.mark.command == .importFile else { return inverse }
        // An import adds podcasts, and changes what belongs to others: taking it back takes back both.
        let owned = try await undo.changeOwned(of: step.episodes, settling: nil) { state in
            var reverted = state
            step.revert(&reverted)
            return (UndoStep(step.mark, from: state, to: reverted), nil)
        }
        (inverse.tags, inverse.queue, inverse.positions) = (owned.tags, owned.queue, owned.positions)
        inverse.bookmarks = owned.bookmarks
        return inverse
    }

    /// Takes back what the step changed of the owner's data, before its podcasts return: tags and queue entries of podcasts
    /// that do not exist are invisible, so everything comes back at the moment when the records do. Lines wait until then.
    private func revertOwned(_ step: UndoStep) async throws -> UndoStep {
        try await undo.changeOwned(of: step.episodes, settling: nil) { state in
            let before = state
            step.revert(&state)
            state.waiting = before.waiting
            return (UndoStep(step.mark, from: before, to: state), nil)
        }
    }

    /// Takes back the rest of the owner's data, and deletes the step.
    ///
    /// - Parameter inverse: what was recorded; if that is nothing, a step of what is changed here is.
    private func settle(_ numbered: NumberedStep, leaving inverse: UndoStep) async throws -> UndoStep {
        let step = numbered.step
        return try await undo.changeOwned(of: step.episodes, settling: numbered.number) { state in
            let before = state
            step.revert(&state)
            var owned = UndoStep(step.mark, from: before, to: state)
            owned.isRedo = inverse.isRedo
            return (owned, !inverse.isEmpty || owned.isEmpty ? nil : owned)
        }
    }

    /// Those that are not subscribed to again. Two podcasts that moved to one URL both return.
    private func returning(_ removed: [Podcast], _ addedSince: Set<PodcastID>) async throws -> [Podcast] {
        guard !removed.isEmpty else { return [] }
        let taken = Set(try await podcasts.podcasts(removed.map(\.id)).map(\.id))
        let atURLs = try await podcasts.podcasts(at: removed.map(\.feedURL))
        let urls = Set(atURLs.filter { addedSince.contains($0.id) }.map(\.feedURL))
        return removed.filter { !taken.contains($0.id) && !urls.contains($0.feedURL) }
    }

    /// An edit that is taken back; `isTaken` if a later command subscribed to its former URL.
    private typealias Edit = (edit: EditedPodcast, before: Podcast, after: Podcast, isTaken: Bool)

    private func edits(_ edits: [EditedPodcast], _ addedSince: Set<PodcastID>) async throws -> [Edit] {
        var changes: [Edit] = []
        for edit in edits {
            guard let podcast = try await podcasts.podcast(edit.id) else { continue }
            let isTaken = try await podcasts.podcasts(at: [edit.before.feedURL]).contains {
                $0.id != edit.id && addedSince.contains($0.id)
            }
            let reverted = edit.reverted(podcast, isTaken: isTaken)
            if reverted != podcast { changes.append((edit, podcast, reverted, isTaken)) }
        }
        return changes
    }
}

extension UndoStep {
    /// Notes the podcasts that an import added.
    mutating func add(_ verdicts: [ImportVerdict]) {
        let podcasts = verdicts.filter { $0.kind == .added }.compactMap(\.podcast)
        added = Set(podcasts.map(\.id)).sorted()
        // They were not fetched, so what they have was kept.
        keepingEpisodes = Set(podcasts.filter { $0.episodesRevision > 0 }.map(\.id))
    }
}

import Composition
import Domain
import Presentation
import Results
import Synchronization

/// A refresh that keeps running: one short run after another, until it is asked to end.
///
/// Between two runs it holds no lock and no lease. Hooks, transcripts and downloads follow each run that fetched
/// something, so a run claims work for a limited time.
struct Worker {
    private let refresh: RefreshRun
    private let poll: Duration
    private static let maxRun = Duration.seconds(120)
    /// Time that requests under way have to complete when the worker is asked to end.
    private static let grace = Duration.seconds(5)

    init(_ refresh: RefreshRun, poll: Duration) { (self.refresh, self.poll) = (refresh, poll) }

    func run() async throws -> ExitStatus {
        let ending = Ending()
        Interrupts.endInOrder(within: Self.grace) { ending.begin() }
        var total = RefreshSummary()
        let transcribing = Task { await transcribe() }
        while !ending.hasBegun, !Task.isCancelled {
            let start = ContinuousClock.now
            do {
                total.add(try await runOnce(ending, until: start + Self.maxRun))
            } catch LibraryFailure.locked {
                // Another refresh holds the folder, and does the work.
            }
            if refresh.context.settings.follow == .on { await refresh.library.follow() }
            if .now - start < Self.maxRun { await ending.sleep(for: poll * 0.9) }
        }
        transcribing.cancel()
        await transcribing.value
        try? await refresh.library.work.signOff()
        refresh.show(total, hasKeptRunning: true)
        return .done
    }

    /// Transcribes beside the refreshes, which must not wait for it.
    private func transcribe() async {
        guard let transcriber = refresh.transcriber else { return }
        let composition = refresh.library.composition
        while !Task.isCancelled {
            do {
                _ = try await transcriber.runInTurn(by: composition.fetcher(), composition.politeness())
            } catch is CancellationError {
                return
            } catch {
                refresh.context.console.report(FailureLine(error, doing: "transcribe"))
            }
            try? await Task.sleep(for: max(poll, Self.transcribePoll))
        }
    }

    private static let transcribePoll = Duration.seconds(60)

    private func runOnce(_ ending: Ending, until end: ContinuousClock.Instant) async throws -> RefreshSummary {
        var refresh = refresh
        refresh.options.claimsUntil = end
        let politeness = refresh.library.composition.politeness(slots: refresh.options.perHost)
        ending.onBegin { politeness.end() }
        let (summary, _) = try await refresh.fetch(politeness, transcribes: false)
        if let failure = summary.localFailure { refresh.context.console.report(FailureLine(failure, doing: "refresh")) }
        try await refresh.note(summary)
        if summary.fetched > 0 { _ = try await refresh.hooks.run(refresh.library, refresh.context.console) }
        return summary
    }
}

/// Notifies the running or sleeping worker that the end has begun.
private final class Ending: Sendable {
    private let state = Mutex<(hasBegun: Bool, action: (@Sendable () -> Void)?)>((false, nil))

    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    func begin() {
        let action = state.withLock { state in
            state.hasBegun = true
            return state.action
        }
        action?()
    }

    /// Sets the action for the beginning of the end, replacing the previous one; runs it at once if the end has begun.
    func onBegin(_ action: @escaping @Sendable () -> Void) {
        let hasBegun = state.withLock { state in
            state.action = action
            return state.hasBegun
        }
        if hasBegun { action() }
    }

    func sleep(for time: Duration) async {
        let sleep = Task { try? await Task.sleep(for: time) }
        onBegin { sleep.cancel() }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
    }
}

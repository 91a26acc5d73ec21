import Composition
import Domain
import Presentation
import Results
import Synchronization

/// The line at the bottom of the terminal that shows the progress of a refresh. It is erased at the end.
final class Progress: Sendable {
    private let console: Console
    private let state: Mutex<State>

    private struct State {
        var progress: RefreshProgress
        var isDrawn = false
        var drawnAt: ContinuousClock.Instant?
    }

    init(_ console: Console) {
        self.console = console
        state = Mutex(State(progress: RefreshProgress(startedAt: .now)))
    }

    func follow(_ event: RefreshEvent) {
        guard console.options.progress else { return }
        state.withLock { state in
            state.progress.follow(event)
            // More frequent updates would be invisible, and cost time.
            if state.isDrawn, let drawnAt = state.drawnAt, drawnAt.duration(to: .now) < .milliseconds(50) { return }
            state.isDrawn = true
            state.drawnAt = .now
            console.draw(state.progress.line(width: Terminal.width, now: .now))
        }
    }

    /// Erases the line, so that the next output begins on a clean one.
    func clear() {
        state.withLock { state in
            if state.isDrawn { console.draw("") }
            state.isDrawn = false
        }
    }
}

/// Shows the progress of rebuilding the index, if that takes more than a moment.
final class IndexingProgress {
    private let console: Console
    private let startedAt = ContinuousClock.now
    private var isDrawn = false
    private var isAnnounced = false

    init(_ console: Console) { self.console = console }

    func follow(done: Int, total: Int) {
        let passed = ContinuousClock.now - startedAt
        guard console.options.progress else {
            // Where no line can be drawn, one says why it takes a while.
            let isLong = passed > .seconds(1)
            if isLong, !isAnnounced, total > done { console.note("Indexing podcasts: \(done) of \(total) …") }
            isAnnounced = isAnnounced || isLong
            return
        }
        guard passed > .milliseconds(300) else { return }
        isDrawn = true
        console.draw("Indexing podcasts: \(done) of \(total)")
    }

    func clear() {
        if isDrawn { console.draw("") }
    }
}

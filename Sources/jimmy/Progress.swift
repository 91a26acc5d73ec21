import Domain
import Presentation
import Synchronization

/// One line at the foot of the terminal that tells how far a refresh is; it leaves nothing behind.
final class Progress: Sendable {
    private let console: Console
    private let state: Mutex<RefreshProgress>

    init(_ console: Console) {
        self.console = console
        state = Mutex(RefreshProgress(startedAt: .now))
    }

    func follow(_ event: RefreshEvent) {
        guard console.options.progress else { return }
        let line = state.withLock { state in
            state.follow(event)
            return state.line(width: Terminal.width, now: .now)
        }
        console.draw(line)
    }

    /// Whatever is printed next begins on a clean line.
    func clear() {
        if console.options.progress { console.draw("") }
    }
}

/// The same for making the index anew; shown only where it takes more than a moment.
struct IndexingProgress {
    private let console: Console
    private let startedAt = ContinuousClock.now

    init(_ console: Console) { self.console = console }

    func follow(done: Int, total: Int) {
        guard console.options.progress, ContinuousClock.now - startedAt > .milliseconds(300) else { return }
        console.draw("Indexing podcasts: \(done) of \(total)")
    }

    func clear() {
        if console.options.progress { console.draw("") }
    }
}

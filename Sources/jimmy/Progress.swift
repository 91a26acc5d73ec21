import Domain
import Glibc
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
        draw(line)
    }

    /// Whatever is printed next begins on a clean line.
    func clear() {
        if console.options.progress { draw("") }
    }

    private func draw(_ line: String) {
        _ = Console.write(Array("\r\(line)\u{1B}[K\(line.isEmpty ? "" : "\r")".utf8), to: STDERR_FILENO)
    }
}

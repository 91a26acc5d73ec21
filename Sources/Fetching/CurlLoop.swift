internal import CLibCurl
internal import Domain
import Glibc
import Synchronization
internal import Threads

/// libcurl's multi interface on its own thread. Tasks hand in transfers and wait without blocking a thread.
///
/// Only that thread calls libcurl. Others leave commands in the inbox and wake it.
final class CurlLoop: Sendable {
    private enum Command {
        case start(Transfer)
        case unpause(Transfer)
        case drop(Transfer)
        case stop
    }

    /// Milliseconds. libcurl 7.88 sometimes leaves HTTP/2 data that TLS has read unprocessed until something else wakes
    /// it.
    private static let maxWait: Int32 = 100

    private struct Inbox {
        var commands = [Command]()
        var isStopped = false
    }

    private let inbox = Mutex(Inbox())
    /// Used only by the thread, except for `curl_loop_wake`, which any thread may call. `stop` sends the last such
    /// call, and the thread frees the pointer only when it reads that command.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

    /// - Throws: `SystemFailure` if libcurl cannot be loaded or no thread started.
    init() throws(SystemFailure) {
        var error: Int32 = 0
        guard curl_load(&error) else { throw .missingLibrary(name: "libcurl.so.4", errno: error) }
        guard let multi = curl_loop_new() else { throw .call("curl_multi_init", errno: ENOMEM) }
        self.multi = multi
        do {
            try startThread(for: .fetching) { [self] in run() }
        } catch {
            curl_loop_free(multi)
            throw error
        }
    }

    func start(_ transfer: Transfer) { send(.start(transfer)) }

    func unpause(_ transfer: Transfer) { send(.unpause(transfer)) }

    /// Ends a transfer early and resumes its task at once.
    func cancel(_ transfer: Transfer) {
        transfer.end(FetchFailure(.cancelled))
        send(.drop(transfer))
    }

    /// Ends the thread. The loop accepts no transfers afterwards.
    func stop() { send(.stop) }

    private func send(_ command: Command) {
        inbox.withLock { inbox in
            guard !inbox.isStopped else { return }
            if case .stop = command { inbox.isStopped = true }
            inbox.commands.append(command)
            if inbox.commands.count == 1 { curl_loop_wake(multi) }
        }
    }

    // MARK: The thread

    private func run() {
        curl_thread_prepare()
        var transfers = RunningTransfers(multi)
        while true {
            let commands = inbox.withLock { inbox in
                defer { inbox.commands = [] }
                return inbox.commands
            }
            for command in commands {
                switch command {
                case .start(let transfer): transfers.start(transfer)
                case .unpause(let transfer): transfers.unpause(transfer)
                case .drop(let transfer): transfers.drop(transfer)
                case .stop:
                    transfers.removeAll()
                    curl_loop_free(multi)
                    return
                }
            }
            curl_loop_perform(multi)
            var result = CURLE_OK
            while let pointer = curl_loop_next_ended(multi, &result) { transfers.finish(pointer, result) }
            curl_loop_wait(multi, transfers.isEmpty ? 60_000 : CurlLoop.maxWait)
        }
    }
}

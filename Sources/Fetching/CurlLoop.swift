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

    /// Most idle connections kept for later requests; fewer if the system allows few descriptors.
    private static let idleConnections: Int = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 4 }
        return min(256, max(4, Int(clamping: limit.rlim_cur) / 4))
    }()

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
        let trust = TrustStore.fromEnvironment()
        var free = [CurlHandle]()
        var active = [UnsafeMutableRawPointer: CurlHandle]()
        var handles = [ObjectIdentifier: CurlHandle]()

        // libcurl's limit includes the connections in use.
        var connections = 0
        func makeRoom() {
            guard CurlLoop.idleConnections + active.count > connections else { return }
            connections = CurlLoop.idleConnections + active.count
            curl_loop_set_number(multi, CURLMOPT_MAXCONNECTS, connections)
        }

        func release(_ handle: CurlHandle, of transfer: Transfer) {
            curl_loop_remove(multi, handle.pointer)
            active[handle.pointer] = nil
            handles[ObjectIdentifier(transfer)] = nil
            free.append(handle)
        }

        while true {
            let commands = inbox.withLock { inbox in
                defer { inbox.commands = [] }
                return inbox.commands
            }
            for command in commands {
                switch command {
                case .start(let transfer):
                    if transfer.hasEnded { continue }
                    guard let handle = free.popLast() ?? CurlHandle(trust: trust) else {
                        transfer.end(SystemFailure.call("curl_easy_init", errno: ENOMEM))
                        continue
                    }
                    handle.prepare(for: transfer)
                    active[handle.pointer] = handle
                    handles[ObjectIdentifier(transfer)] = handle
                    makeRoom()
                    curl_loop_add(multi, handle.pointer)
                case .unpause(let transfer):
                    if let handle = handles[ObjectIdentifier(transfer)] { curl_unpause(handle.pointer) }
                case .drop(let transfer):
                    guard let handle = handles[ObjectIdentifier(transfer)] else { continue }
                    handle.drop()
                    release(handle, of: transfer)
                case .stop:
                    for handle in active.values { curl_loop_remove(multi, handle.pointer) }
                    active = [:]
                    free = []
                    curl_loop_free(multi)
                    return
                }
            }
            curl_loop_perform(multi)
            var result = CURLE_OK
            while let pointer = curl_loop_next_ended(multi, &result) {
                guard let handle = active[pointer], let transfer = handle.transfer else { continue }
                handle.finish(result)
                release(handle, of: transfer)
            }
            curl_loop_wait(multi, active.isEmpty ? 60_000 : CurlLoop.maxWait)
        }
    }
}

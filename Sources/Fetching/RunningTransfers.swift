internal import CLibCurl
internal import Domain
import Glibc

/// The transfers of a loop and their handles. Used only by the loop's thread.
struct RunningTransfers {
    /// Maximum number of idle connections kept for later requests; fewer if the system allows few descriptors.
    private static let maxIdleConnections: Int = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 4 }
        return min(256, max(4, Int(clamping: limit.rlim_cur) / 4))
    }()

    private let multi: UnsafeMutableRawPointer
    private let trust = TrustStore.fromEnvironment()
    private var free = [CurlHandle]()
    private var active = [UnsafeMutableRawPointer: CurlHandle]()
    private var handles = [ObjectIdentifier: CurlHandle]()
    /// libcurl's limit on connections, which includes those in use.
    private var maxConnections = 0

    init(_ multi: UnsafeMutableRawPointer) { self.multi = multi }

    var isEmpty: Bool { active.isEmpty }

    mutating func start(_ transfer: Transfer) {
        if transfer.hasEnded { return }
        guard let handle = free.popLast() ?? CurlHandle(trust: trust) else {
            return transfer.end(SystemFailure.call("curl_easy_init", errno: ENOMEM))
        }
        handle.prepare(for: transfer)
        active[handle.pointer] = handle
        handles[ObjectIdentifier(transfer)] = handle
        makeRoom()
        curl_loop_add(multi, handle.pointer)
    }

    func unpause(_ transfer: Transfer) {
        if let handle = handles[ObjectIdentifier(transfer)] { curl_unpause(handle.pointer) }
    }

    mutating func drop(_ transfer: Transfer) {
        guard let handle = handles[ObjectIdentifier(transfer)] else { return }
        handle.drop()
        release(handle, of: transfer)
    }

    mutating func finish(_ pointer: UnsafeMutableRawPointer, _ result: CURLcode) {
        guard let handle = active[pointer], let transfer = handle.transfer else { return }
        handle.finish(result)
        release(handle, of: transfer)
    }

    mutating func removeAll() {
        for handle in active.values { curl_loop_remove(multi, handle.pointer) }
        active = [:]
        handles = [:]
        free = []
    }

    private mutating func makeRoom() {
        let needed = Self.maxIdleConnections + active.count
        guard needed > maxConnections else { return }
        maxConnections = needed
        curl_loop_set_number(multi, CURLMOPT_MAXCONNECTS, needed)
    }

    private mutating func release(_ handle: CurlHandle, of transfer: Transfer) {
        curl_loop_remove(multi, handle.pointer)
        active[handle.pointer] = nil
        handles[ObjectIdentifier(transfer)] = nil
        free.append(handle)
    }
}

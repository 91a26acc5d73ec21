import Glibc
import Synchronization

/// A small real HTTP/1.1 server on a loopback address, for tests and demonstrations: each path has a reply, or a handler
/// that makes one, and every request is logged.
///
/// Unknown paths answer 404. One thread a connection, keep-alive included; `stop` (or letting go of it) closes all.
public final class LoopbackServer: Sendable {
    public typealias Handler = @Sendable (Request) -> Reply

    public let address: String
    public let port: UInt16
    /// `http://127.0.0.1:PORT`
    public var url: String { "http://\(address):\(port)" }

    private struct State {
        var handlers: [String: Handler] = [:]
        var requests: [Request] = []
        var open: Set<Int32> = []
        var connections = 0
        var active = 0
        var maxActive = 0
        var isStopped = false
    }

    /// Shared by the server and its threads, so that threads do not keep the server itself.
    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private let shared = Shared()
    private let listener: Int32

    /// - Parameters:
    ///   - address: any of 127.0.0.0/8.
    ///   - port: 0 for any free one.
    public init(address: String = "127.0.0.1", port: UInt16 = 0) throws {
        self.address = address
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw SocketError(operation: "socket", errno: errno) }
        var on: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = inet_addr(address)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let bound = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(listener, generic, length) == 0 && listen(listener, 512) == 0
                    && getsockname(listener, generic, &length) == 0
            }
        }
        guard bound else {
            let code = errno
            close(listener)
            throw SocketError(operation: "bind", errno: code)
        }
        self.port = UInt16(bigEndian: name.sin_port)
        let shared = shared
        startThread { LoopbackServer.accept(on: listener, shared) }
    }

    deinit { stop() }

    /// Answers `path` (without its query) with the same reply every time.
    public func on(_ path: String, _ reply: Reply) { on(path) { _ in reply } }

    /// Answers `path` (without its query) with what the handler makes. A path of `*` is for all others.
    public func on(_ path: String, _ handler: @escaping Handler) {
        shared.state.withLock { $0.handlers[path] = handler }
    }

    /// All requests until now, in the order in which they came.
    public var requests: [Request] { shared.state.withLock { $0.requests } }

    public func requests(to path: String) -> [Request] { requests.filter { $0.path == path } }

    public func forgetRequests() { shared.state.withLock { $0.requests = [] } }

    /// How many connections were opened.
    public var connections: Int { shared.state.withLock { $0.connections } }

    /// The most requests that were being answered at the same time.
    public var maxAtOnce: Int { shared.state.withLock { $0.maxActive } }

    /// Accepts no more connections, and cuts those that are open.
    public func stop() {
        shared.state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private static func accept(on listener: Int32, _ shared: Shared) {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            if descriptor < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                break
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            let number = shared.state.withLock { state in
                state.open.insert(descriptor)
                state.connections += 1
                return state.connections - 1
            }
            startThread { serve(Connection(descriptor: descriptor, number: number), shared) }
        }
        close(listener)
    }

    private static func serve(_ connection: Connection, _ shared: Shared) {
        while let request = connection.readRequest() {
            let handler = shared.state.withLock { state -> Handler? in
                state.requests.append(request)
                state.active += 1
                state.maxActive = max(state.maxActive, state.active)
                return state.handlers[request.path] ?? state.handlers["*"]
            }
            let reply = handler?(request) ?? Reply(404, body: Array("not here".utf8))
            let goesOn = connection.send(reply, to: request)
            shared.state.withLock { $0.active -= 1 }
            if !goesOn { break }
        }
        shared.state.withLock { _ = $0.open.remove(connection.descriptor) }
        connection.end()
    }
}

public struct SocketError: Error {
    public var operation: String
    public var errno: Int32
}

/// Runs `body` on a thread of its own.
private func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box { let body: @Sendable () -> Void; init(_ body: @escaping @Sendable () -> Void) { self.body = body } }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 512 << 10)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    let failed = pthread_create(
        &thread, &attributes,
        { argument in
            if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
            return nil
        }, box.toOpaque())
    if failed != 0 { box.release() }
    pthread_attr_destroy(&attributes)
}

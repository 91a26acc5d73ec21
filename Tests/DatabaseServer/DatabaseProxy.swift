import Glibc
import Synchronization

/// A proxy between a program and a database server, on loopback: counts round trips, and cuts connections.
public final class DatabaseProxy: Sendable {
    /// Where a connection is cut.
    public enum Cut: Sendable {
        /// Instead of passing on that packet of the program's, counted from 1 over all connections.
        case request(Int)
        /// After half of that packet.
        case halfRequest(Int)
        /// Instead of passing on that packet of the server's: it has done what was asked for.
        case reply(Int)
    }

    fileprivate struct State {
        var cut: Cut?
        var requests = 0
        var replies = 0
        var roundTrips = 0
    }

    public let port: Int
    private let listener: Int32
    private let state: StateBox

    /// Shared by the proxy and its threads, so that threads do not keep the proxy itself.
    fileprivate final class StateBox: Sendable {
        let state = Mutex(State())
    }

    public init(to serverPort: Int) throws {
        (listener, port) = try listenOnLoopback()
        let (box, listener) = (StateBox(), listener)
        state = box
        startThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                let server = connectToLoopback(serverPort)
                guard server >= 0 else {
                    close(client)
                    continue
                }
                startThread { Self.pass(client, server, box) }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The address of the same library, through this proxy.
    public func address(of library: String, server: PostgresServer) -> String {
        library.replacing("127.0.0.1:\(server.port)", with: "127.0.0.1:\(port)", maxReplacements: 1)
    }

    /// Restarts the count.
    public func reset(cut: Cut? = nil) {
        state.state.withLock { state in
            state = State(cut: cut)
        }
    }

    /// How often a program has sent something and waited for the reply, connecting included.
    public var roundTrips: Int { state.state.withLock { $0.roundTrips } }
    /// True if a connection was cut since `reset`.
    public var hasCut: Bool { state.state.withLock { $0.cut == nil } }

    private static func pass(_ client: Int32, _ server: Int32, _ box: StateBox) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var ready = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var isWaiting = false
        passing: while poll(&ready, 2, -1) > 0 || errno == EINTR {
            for end in 0..<2 where ready[end].revents != 0 {
                let count = recv(ready[end].fd, &buffer, buffer.count, 0)
                guard count > 0 else { break passing }
                let isRequest = end == 0
                let passed = box.state.withLock { state in
                    if isWaiting, !isRequest { state.roundTrips += 1 }
                    return state.next(count, isRequest: isRequest)
                }
                isWaiting = isRequest
                var sent = 0
                while sent < passed {
                    let sending = buffer[sent..<passed].withUnsafeBytes {
                        send(ready[1 - end].fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    guard sending > 0 else { break passing }
                    sent += sending
                }
                if passed < count { break passing }
            }
        }
        close(client)
        close(server)
    }
}

extension DatabaseProxy.State {
    /// - Returns: how many bytes of a packet are passed on; with fewer than all the connection is cut.
    fileprivate mutating func next(_ count: Int, isRequest: Bool) -> Int {
        if isRequest { requests += 1 } else { replies += 1 }
        switch cut {
        case .request(requests) where isRequest, .reply(replies) where !isRequest:
            cut = nil
            return 0
        case .halfRequest(requests) where isRequest:
            cut = nil
            return count / 2
        default: return count
        }
    }
}

func listenOnLoopback() throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0 && getsockname(descriptor, $0, &length) == 0
        }
    }
    guard isListening else { throw ServerUnavailable(text: "listen: \(errno)") }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
}

/// - Returns: -1 if nobody listens.
func connectToLoopback(_ port: Int) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = loopback(port)
    let isConnected = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    if isConnected { return descriptor }
    close(descriptor)
    return -1
}

private func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return address
}

func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    let failed = pthread_create(
        &thread, nil,
        { argument in
            if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
            return nil
        }, box.toOpaque())
    if failed == 0 { pthread_detach(thread) } else { box.release() }
}

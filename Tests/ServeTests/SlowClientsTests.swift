import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import jimmy_serve

/// Clients that are too slow lose their connection; the clock is the test's own.
@Suite struct SlowClientsTests {
    private let channel = EmbeddedChannel(handler: SlowClients(idle: 75))

    init() throws { try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait() }

    private func isOpen(after seconds: Int64) -> Bool {
        channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
        return channel.isActive
    }

    private func receiveHead() throws {
        let request = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/")
        try channel.writeInbound(HTTPRequestPart.head(request))
    }

    private func receiveEnd() throws { try channel.writeInbound(HTTPRequestPart.end(nil)) }

    private func answer() throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    @Test func `the first head has thirty seconds`() {
        #expect(isOpen(after: 29))
        #expect(!isOpen(after: 2))
    }

    @Test func `a body has two minutes`() throws {
        try receiveHead()
        #expect(isOpen(after: 119))
        #expect(!isOpen(after: 2))
    }

    @Test func `a response may take as long as it needs`() throws {
        try receiveHead()
        try receiveEnd()
        #expect(isOpen(after: 10_000))
    }

    @Test func `a later head has thirty seconds after the idle time`() throws {
        for _ in 0..<2 {
            try receiveHead()
            try receiveEnd()
            try answer()
            #expect(isOpen(after: 104))
        }
        #expect(!isOpen(after: 2))
    }

    @Test func `a refused body does not lift the deadline`() throws {
        try receiveHead()
        try answer()
        try receiveEnd()
        #expect(!isOpen(after: 106))
    }
}

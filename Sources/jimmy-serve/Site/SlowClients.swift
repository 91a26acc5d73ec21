import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections of clients that are too slow. The head of the first request must arrive within 30 seconds of the
/// connection, each later head within 30 seconds after an idle connection would have been closed, and each body within
/// two minutes of its head. The idle timeout alone would let a client send a byte a minute forever.
final class SlowClients: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart

    private static let headTime = TimeAmount.seconds(30)
    private static let bodyTime = TimeAmount.seconds(120)
    private let idleTime: TimeAmount
    private var deadline: Scheduled<Void>?
    /// Requests whose response has not ended.
    private var openRequests = 0

    /// - Parameter idle: seconds after which the server closes an idle connection.
    init(idle: Int) { idleTime = .seconds(Int64(idle)) }

    func channelActive(context: ChannelHandlerContext) {
        start(context, Self.headTime)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            openRequests += 1
            start(context, Self.bodyTime)
        case .body: break
        // A response may end before the body that it refuses; then the deadline is that of the next head.
        case .end: if openRequests > 0 { stop() }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            openRequests -= 1
            if openRequests == 0 { start(context, idleTime + Self.headTime) }
        }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    private func start(_ context: ChannelHandlerContext, _ amount: TimeAmount) {
        stop()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: amount) { channel.close(promise: nil) }
    }

    private func stop() {
        deadline?.cancel()
        deadline = nil
    }
}

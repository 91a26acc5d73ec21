import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections of clients that are too slow: the head of the first request must arrive within 30 seconds of the
/// connection, and each body within two minutes of its head.
final class SlowClients: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart

    private static let patience = TimeAmount.seconds(120)
    private var deadline: Scheduled<Void>?

    func channelActive(context: ChannelHandlerContext) {
        start(context, .seconds(30))
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: start(context, Self.patience)
        case .body: break
        case .end: stop()
        }
        context.fireChannelRead(data)
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

import Composition
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Presentation
import ServiceLifecycle
import UnixSignals

/// Accepts connections until SIGTERM or SIGINT; requests under way are completed first.
struct Server {
    private let site: Site
    private let note: @Sendable (String) -> Void

    /// Number of connections at a time; further clients wait until others leave.
    private static let maxConnections = 2_048
    /// Seconds after which an idle connection is closed.
    private static let idle = 75
    /// Seconds that requests have to complete when the server is asked to stop.
    private static let shutdownSeconds = 20

    init(_ site: Site, note: @escaping @Sendable (String) -> Void) {
        self.site = site
        self.note = note
    }

    /// - Throws: `FailureLine` if the address cannot be listened on.
    func run() async throws {
        var logger = Logger(label: "jimmy-serve") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .error
        let (address, note) = (site.options.listen, note)
        let application = Application(
            router: Routes.router(of: site),
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [SlowClients(idle: Self.idle)], idleTimeout: .seconds(Int64(Self.idle)),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))),
            configuration: .init(
                address: .hostname(address.host, port: address.port), serverName: nil, backlog: 512,
                availableConnectionsDelegate: MaximumAvailableConnections(Self.maxConnections)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? address.port
                note("Listening on http://\(address.host.contains(":") ? "[\(address.host)]" : address.host):\(port)/")
            },
            logger: logger)
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [.init(service: application)]
        if let url = site.options.publicURL { services.append(.init(service: Pings(site: site, publicURL: url))) }
        if site.follows { services.append(.init(service: Following(site: site))) }
        if site.options.refreshes { services.append(.init(service: Refreshing(site: site))) }
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(Self.shutdownSeconds)
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch is SocketAddressError.UnknownHost {
            throw FailureLine(address.description, "the host's name could not be found", status: .unavailable)
        } catch let error as IOError {
            throw FailureLine(address.description, systemWords(error.errnoCode), status: .diskFailed)
        }
    }
}

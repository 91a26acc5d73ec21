import Domain
import Fetching
import Glibc
import LoopbackServer
import Testing

/// Certificates are always verified. Needs `openssl` on the path, and says so if it is missing.
@Suite(.serialized, .enabled(if: TLSServer.opensslExists, "openssl is not installed"))
struct TLSTests {
    @Test func `a certificate nobody vouches for is refused`() async throws {
        let server = try TLSServer()
        #expect(await failure(of: "https://127.0.0.1:\(server.port)/")?.code == .tls)
    }

    @Test func `the CA bundle can be named`() async throws {
        let server = try TLSServer()
        for variable in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
            setenv(variable, server.certificate, 1)
            defer { unsetenv(variable) }
            #expect(try await fetch("https://127.0.0.1:\(server.port)/").response.status == 200)
            // Vouched for, but for another host.
            #expect(await failure(of: "https://127.0.0.2:\(server.port)/")?.code == .tls)
        }
    }

    @Test func `no variable hides another`() async throws {
        let (server, other) = (try TLSServer(), try TLSServer())
        setenv("CURL_CA_BUNDLE", other.certificate, 1)
        setenv("SSL_CERT_FILE", server.certificate, 1)
        defer { for variable in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] { unsetenv(variable) } }
        for port in [server.port, other.port] {
            #expect(try await fetch("https://127.0.0.1:\(port)/").response.status == 200)
        }
    }

    @Test func `a bad certificate at the end of a redirect is refused`() async throws {
        let server = try TLSServer()
        let entry = try LoopbackServer()
        entry.on("/feed", .redirect(301, to: "https://127.0.0.1:\(server.port)/"))
        let failure = await failure(of: "\(entry.url)/feed")
        #expect(failure?.code == .tls)
        #expect(failure?.redirects.count == 1)
    }
}

/// `openssl s_server` with a certificate of its own for 127.0.0.1, in a temporary folder.
final class TLSServer {
    let port: UInt16
    var certificate: String { "\(folder)/certificate.pem" }
    private let folder: String
    private let process: pid_t

    static var opensslExists: Bool { (try? wait(for: spawn(["openssl", "version"]))) == 0 }

    struct Unavailable: Error {}

    init() throws {
        var template = Array("/tmp/jimmy-tls-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Unavailable() }
        folder = template.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { String(cString: $0) } ?? "" }
        let made = try TLSServer.wait(
            for: TLSServer.spawn([
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(folder)/key.pem",
                "-out", "\(folder)/certificate.pem",
            ]))
        guard made == 0 else { throw Unavailable() }
        // A port that was free a moment ago.
        port = try {
            let probe = try LoopbackServer(); probe.stop(); return probe.port
        }()
        process = try TLSServer.spawn([
            "openssl", "s_server", "-accept", "\(port)", "-www", "-quiet", "-cert", "\(folder)/certificate.pem", "-key",
            "\(folder)/key.pem",
        ])
        try waitUntilItListens()
    }

    deinit {
        // Spawned by a thread that blocks signals, it would not hear a gentler one.
        kill(process, SIGKILL)
        _ = TLSServer.wait(for: process)
        for name in ["key.pem", "certificate.pem"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    private func waitUntilItListens() throws {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = inet_addr("127.0.0.1")
        for _ in 0..<500 {
            let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(probe) }
            let answers = withUnsafePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if answers { return }
            usleep(10_000)
        }
        throw Unavailable()
    }

    private static func spawn(_ words: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0) }
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        guard posix_spawnp(&process, words[0], &actions, nil, &arguments, environ) == 0 else { throw Unavailable() }
        return process
    }

    private static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }
}

import Domain
import Fetching
import LoopbackServer
import Testing

/// Hosts' limits, time limits, cancellation, and servers that are not there.
struct TurnTests {
    let server: LoopbackServer
    init() throws { server = try LoopbackServer() }

    private func fetchMany(_ count: Int, slots: Int, _ url: @escaping @Sendable (Int) -> String) async -> Int {
        let (fetcher, politeness) = (CurlFetcher(userAgent: "t"), Politeness.generous(slots: slots))
        return await withTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                group.addTask { (try? await fetch(url(number), with: fetcher, politeness)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    @Test func `a host gets no more at once than it may`() async {
        server.on("*", Reply.feed("x").with { $0.delay = 0.02 })
        let url = server.url
        let done = await fetchMany(30, slots: 3) { "\(url)/\($0)" }
        #expect(done == 30)
        #expect(server.maxAtOnce == 3)
        #expect(server.connections <= 3)
    }

    @Test func `the connections of many hosts are used again`() async throws {
        let everywhere = try LoopbackServer(address: "0.0.0.0")
        everywhere.on("*", .feed("x"))
        let port = everywhere.port
        let done = await fetchMany(400, slots: 1) { "http://127.0.4.\($0 % 200 + 1):\(port)/\($0)" }
        #expect(done == 400)
        #expect(everywhere.connections == 200)
    }

    @Test func `the limit holds after a redirect`() async throws {
        let entry = try LoopbackServer(address: "127.0.0.3")
        let target = server.url
        entry.on("*") { .redirect(302, to: target + $0.path) }
        server.on("*", Reply.feed("x").with { $0.delay = 0.02 })
        let url = entry.url
        let done = await fetchMany(20, slots: 2) { "\(url)/\($0)" }
        #expect(done == 20)
        #expect(server.maxAtOnce <= 2)
    }

    @Test func `many slow answers are waited for together`() async {
        server.on("*", Reply.feed("x").with { $0.delay = 0.2 })
        let url = server.url
        let done = await fetchMany(64, slots: 64) { "\(url)/\($0)" }
        #expect(done == 64)
        #expect(server.maxAtOnce > 16)
    }

    @Test func `the wait for its turn is not the feed's time`() async {
        server.on("*", Reply.feed("x").with { $0.delay = 0.15 })
        let url = server.url
        let (fetcher, politeness) = (CurlFetcher(userAgent: "t"), Politeness.generous(slots: 1))
        let done = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<6 {
                group.addTask {
                    (try? await fetch("\(url)/\(number)", with: fetcher, politeness) { $0.limits.timeout = 0.6 }) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(done == 6)
    }

    @Test(arguments: ["/hangs", "/drips", "/head"])
    func `stalls are cut`(path: String) async {
        server.on("/hangs", .hanging)
        server.on("/drips", Reply.feed(String(repeating: "x", count: 100)).with { $0.drip = (1, 0.1) })
        server.on("/head", Reply.feed("x").with { $0.delay = 5 })
        let failure = await failure(of: server.url + path) { $0.limits.timeout = 0.3 }
        #expect(failure?.code == .timeout)
        #expect(failure?.milliseconds ?? 0 >= 250)
    }

    @Test func `a cancelled task ends its transfer at once`() async throws {
        server.on("/feed", .hanging)
        let url = server.url
        let (fetcher, politeness) = (CurlFetcher(userAgent: "t"), Politeness.generous())
        let tasks = (0..<8).map { _ in Task { await failure(of: "\(url)/feed", with: fetcher, politeness) } }
        while server.requests.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        let began = ContinuousClock.now
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value?.code == .cancelled) }
        #expect(ContinuousClock.now - began < .seconds(2))
        server.on("/feed", .feed("x"))
        #expect(try await fetch("\(url)/feed", with: fetcher, politeness).text == "x")
    }

    @Test func `a closed port is no connection`() async throws {
        let url = server.url
        server.stop()
        #expect(await failure(of: "\(url)/feed")?.code == .connect)
    }

    @Test func `an unknown name is a DNS failure`() async {
        #expect(await failure(of: "http://no-such-host.invalid/feed")?.code == .dns)
    }

    @Test func `plain HTTP behind HTTPS is a TLS failure`() async {
        server.on("*", .feed("x"))
        #expect(await failure(of: "https://\(server.address):\(server.port)/feed")?.code == .tls)
    }

    @Test func `what is no web address is not asked`() async {
        #expect(await failure(of: "gopher://127.0.0.1/")?.code == .protocol)
        #expect(await failure(of: "nonsense")?.code == .protocol)
    }
}

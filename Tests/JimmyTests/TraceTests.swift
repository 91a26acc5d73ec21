import LoopbackServer
import Testing

/// `refresh --trace`, timings, and `status --prometheus`, by the built program.
@Suite struct TraceTests {
    @Test func `a trace is drawn`() throws {
        let home = try Home()
        for number in 0..<8 { home.server.on("/\(number)", .feed(Home.feed("Feed \(number)", episodes: 20))) }
        _ = try home.jimmy.run(["subscribe", "--no-fetch"] + (0..<8).map { "\(home.server.url)/\($0)" })
        let run = try home.jimmy.run("refresh", "--json", "--trace", home.folder + "/trace.json")
        #expect(run.status == 0, "\(run.errors)")
        let podcasts = run.lines.filter { $0.contains("\"type\":\"podcast\"") }
        #expect(podcasts.count == 8)
        for stage in ["wait", "firstByte", "parse", "compare", "commit"] {
            #expect(podcasts.allSatisfy { $0.contains("\"\(stage)\":") }, "\(stage)")
        }
        let summary = try #require(run.lines.last)
        #expect(summary.contains("\"time\":{") && summary.contains("\"parse\":"))
        // A refresh of a database indexes nothing.
        let index = Home.usesDatabase ? "" : ", \"index\""
        // Chrome's trace event format, checked by its rules.
        let checked = try home.run(
            script: """
                command -v python3 >/dev/null || exit 0
                python3 - <<'END'
                import collections, json
                events = json.load(open("trace.json"))["traceEvents"]
                lanes = collections.defaultdict(list)
                for event in events:
                    assert event["ph"] in "XCM" and event["pid"] == 1 and event["name"], event
                    if event["ph"] == "X":
                        assert event["ts"] >= 0 and event["dur"] >= 0
                        lanes[event["tid"]].append((event["ts"], event["dur"]))
                    if event["ph"] == "C": assert all(isinstance(v, (int, float)) for v in event.get("args", {}).values())
                for spans in lanes.values():
                    spans.sort()
                    for (start, length), (next, _) in zip(spans, spans[1:]): assert start + length <= next + 0.001
                names = {event["name"] for event in events if event["ph"] == "X"}
                counters = {event["name"] for event in events if event["ph"] == "C"}
                queues = {"feeds to compare", "feeds to commit", "feeds to index"}
                assert {"threads", "cores busy"} | queues <= counters, counters
                assert {"wait", "firstByte", "body", "parse", "compare", "commit"\(index)} <= names, names
                END
                """)
        #expect(checked.status == 0, "\(checked.errors)")
    }

    @Test func `metrics follow the rules of Prometheus`() throws {
        let home = try Home()
        try home.subscribe("Alpha")
        _ = try home.jimmy.run("refresh", "--force")
        _ = try home.jimmy.run("refresh", "--force")
        let run = try home.jimmy.run("status", "--prometheus")
        #expect(run.status == 0)
        #expect(run.lines.contains("jimmy_podcasts 1"))
        #expect(run.lines.contains("jimmy_episodes 2"))
        // Counters outlive the process.
        #expect(run.lines.contains("jimmy_refreshes_total 2"))
        try home.write(run.output, to: "jimmy.prom")
        let checked = try home.run(
            script: "if command -v promtool; then promtool check metrics < jimmy.prom; else echo 'promtool is missing' >&2; fi")
        #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
    }

    @Test func `status has the same figures in JSON`() throws {
        let home = try Home()
        try home.subscribe("Alpha")
        _ = try home.jimmy.run("refresh", "--force")
        let json = try home.jimmy.run("status", "--json").output
        let samples = try home.jimmy.run("status", "--prometheus").lines.filter { !$0.hasPrefix("#") }
        #expect(samples.count > 30)
        for sample in samples {
            // jimmy_podcasts_by_health{health="fine"} 1
            let parts = sample.split { "{}=\" ".contains($0) }.map(String.init)
            let label = parts.count == 4 ? "\"\(parts[1])\":\"\(parts[2])\"," : ""
            #expect(json.contains("{\"name\":\"\(parts[0])\",\(label)\"value\":"), "\(sample)")
        }
    }
}

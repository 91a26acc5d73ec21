import Domain
import JSON

extension Record {
    /// - Parameter microseconds: time since the run began.
    func head(at microseconds: Int) -> JSONWriter {
        var json = JSONWriter()
        json.object {
            $0.text("record", word)
            $0.integer("at", microseconds)
            writeMembers(to: &$0)
        }
        return json
    }

    private var word: String {
        switch self {
        case .began: "began"
        case .turn: "turn"
        case .request: "request"
        case .head: "head"
        case .body: "body"
        case .read: "read"
        case .ended: "ended"
        case .secret: "secret"
        case .shared: "shared"
        case .reply: "reply"
        case .committing: "committing"
        case .committed: "committed"
        case .finishing: "finishing"
        case .done: "done"
        case .hooked: "hooked"
        case .step(let step): step.word
        }
    }

    private func writeMembers(to json: inout JSONWriter) {
        if let fetch { json.integer("fetch", Int(fetch)) }
        switch self {
        case .began(let run): run.write(to: &json)
        case .turn(_, let subject, let url, let turn):
            json.text("for", subject)
            json.text("url", url)
            switch turn {
            case .granted: break
            case .shared: json.flag("shared", true)
            case .refused(let failure): json.object("refused") { failure.write(to: &$0) }
            }
        case .request(_, let headers): json.texts("headers", headers)
        case .head, .committed, .hooked: break
        case .body(_, let piece): if piece != .sent { json.text("piece", piece.rawValue) }
        case .read(_, .success(let body)):
            json.hash("hash", body.hash)
            json.integer("size", body.size)
            if body.isSame { json.flag("same", true) }
        case .read(_, .failure(let failure)): json.object("failure") { RecordedFailure.fetch(failure).write(to: &$0) }
        case .ended(_, let exchange): exchange.write(to: &json)
        case .secret(let mark, let sealed):
            json.text("mark", mark)
            json.text("sealed", RunKey.hex(sealed))
        case .shared(_, let owner): json.integer("owner", Int(owner))
        case .reply(let reply): reply.write(to: &json)
        case .committing(let batch):
            json.texts("podcasts", batch.podcasts.map(\.text))
            json.flag("reachedAnyone", batch.reachedAnyone)
        case .finishing(let reachedAnyone): json.flag("reachedAnyone", reachedAnyone)
        case .done(let end): end.write(to: &json)
        case .step(let step): step.write(to: &json)
        }
    }

    var fetch: UInt64? {
        switch self {
        case .turn(let fetch, _, _, _), .request(let fetch, _), .head(let fetch), .body(let fetch, _), .read(let fetch, _),
            .ended(let fetch, _), .shared(let fetch, _):
            fetch
        case .began, .secret, .reply, .committing, .committed, .finishing, .done, .step, .hooked: nil
        }
    }
}

extension RecordedRun {
    fileprivate func write(to json: inout JSONWriter) {
        json.text("format", "jimmy recording")
        json.integer("version", version)
        json.text("program", program)
        json.text("library", library)
        json.text("bodies", bodies.rawValue)
        json.time("now", start.now)
        json.time("startedAt", start.startedAt)
        let options = start.options
        json.text("mode", options.mode.word)
        json.texts("podcasts", (options.podcasts ?? []).map(\.text).sorted())
        json.number("timeout", options.limits.timeout)
        json.integer("maxSize", options.limits.maxBodySize)
        json.integer("maxRedirects", options.limits.maxRedirects)
        json.integer("newOnSubscribe", options.newOnSubscribe)
        if options.hasHook { json.flag("hasHook", true) }
        if options.transcripts { json.flag("transcripts", true) }
        if options.chapters { json.flag("chapters", true) }
    }
}

extension RefreshOptions.Mode {
    var word: String {
        switch self {
        case .due: "due"
        case .all: "all"
        case .force: "force"
        }
    }

    init?(word: String) {
        guard let mode = [.due, .all, .force].first(where: { (mode: Self) in mode.word == word }) else { return nil }
        self = mode
    }
}

extension Record.Exchange {
    fileprivate func write(to json: inout JSONWriter) {
        json.integer("nanoseconds", nanoseconds)
        if isRefused { json.flag("refused", true) }
        if let failure { json.object("failure") { failure.write(to: &$0) } }
        if let times {
            json.integers("times", [times.lookUp, times.connect, times.tls, times.firstByte, times.total])
        }
    }
}

extension RecordedFailure {
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .fetch(let failure):
            json.text("code", failure.code.rawValue)
            json.integer("status", failure.status)
            json.text("detail", failure.detail?.fact)
        case .paused(let until): json.time("until", until)
        case .system(.missingLibrary(let name, let errno)):
            json.text("library", name)
            json.integer("errno", Int(errno))
        case .system(.call(let name, let errno)):
            json.text("call", name)
            json.integer("errno", Int(errno))
        }
    }
}

extension RunReply {
    fileprivate func write(to json: inout JSONWriter) {
        json.texts("podcasts", podcasts.map(\.text))
        json.time("askedAt", askedAt)
        json.time("repliedAt", repliedAt)
        kind.write(to: &json)
    }
}

extension RunReply.Kind {
    func write(to json: inout JSONWriter) {
        switch self {
        case .asked: break
        case .dropped: json.flag("dropped", true)
        case .paused(let until): json.object("notAsked") { RecordedFailure.paused(until: until).write(to: &$0) }
        case .unreachable(let failure): json.object("notAsked") { RecordedFailure.fetch(failure).write(to: &$0) }
        }
    }
}

extension RunEnd {
    fileprivate func write(to json: inout JSONWriter) {
        json.flag("reachedAnyone", reachedAnyone)
        json.time("startedAt", times?.startedAt)
        json.time("endedAt", times?.endedAt)
        if let counters = times?.counters {
            json.key("counters")
            json.value(counters)
        }
        json.hosts(hosts)
    }
}

extension JSONWriter {
    mutating func hosts(_ hosts: [String: HostState]) {
        array("hosts") { json in
            for (name, host) in hosts.sorted(by: { $0.key < $1.key }) {
                json.object {
                    $0.text("host", name)
                    $0.time("pausedUntil", host.pausedUntil)
                    // Every bit counts, since the value goes into the library.
                    $0.hash("allowance", host.allowance?.bitPattern)
                    $0.time("measuredAt", host.measuredAt)
                }
            }
        }
    }
}

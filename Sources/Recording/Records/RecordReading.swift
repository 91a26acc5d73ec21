import Domain
import JSON

extension Record {
    /// A record and the bytes stored after its line.
    struct Read: Sendable {
        var record: Record
        /// Microseconds since the run began.
        var at: Int
        var bytes: ArraySlice<UInt8>
    }

    /// nil if this version does not know the kind of record and can ignore it.
    ///
    /// - Throws: `JSONError`.
    static func read(_ stored: ArraySlice<UInt8>) throws -> Read? {
        let end = stored.firstIndex(of: UInt8(ascii: "\n")) ?? stored.endIndex
        let line = Array(stored[stored.startIndex..<end])
        var members = Members()
        var json = JSONReader(line)
        try json.object { json, key in try members.read(key, from: &json) }
        guard let record = members.record else { return nil }
        return Read(record: record, at: members.at, bytes: stored[min(end + 1, stored.endIndex)...])
    }
}

/// All members that a record can have.
private struct Members {
    var word = ""
    var at = 0
    private var fetch: UInt64 = 0
    private var owner: UInt64 = 0
    private var texts: [String: String] = [:]
    private var times: [String: Timestamp] = [:]
    private var numbers: [String: Int] = [:]
    private var flags: Set<String> = []
    private var podcasts: [String] = []
    private var headers: [String] = []
    private var wireTimes: WireTimes?
    private var timeout = 60.0
    private var hash: UInt64?
    private var failures: [String: RecordedFailure] = [:]
    private var hosts: [String: HostState] = [:]
    private var counters = RunCounters()
    private var steps = StepMembers()

    mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "record": word = try json.string()
        case "at": at = try json.integer()
        case "fetch": fetch = UInt64(max(0, try json.integer()))
        case "owner": owner = UInt64(max(0, try json.integer()))
        case "podcasts": try json.array { podcasts.append(try $0.string()) }
        case "headers": try json.array { headers.append(try $0.string()) }
        case "times": wireTimes = try Self.wireTimes(&json)
        case "timeout": timeout = try json.number()
        case "hash": hash = try json.hash()
        case "refused" where try json.peek() == .object, "failure", "notAsked": failures[key] = try RecordedFailure(from: &json)
        case "counters": counters = try json.counters()
        case "hosts": try json.array { try readHost(&$0) }
        case "now", "startedAt", "endedAt", "askedAt", "repliedAt": times[key] = try json.time()
        default:
            if try steps.read(key, from: &json) { return }
            switch try json.peek() {
            case .string: texts[key] = try json.string()
            case .number: numbers[key] = try json.integer()
            case .bool: if try json.bool() { flags.insert(key) }
            case .object, .array, .null: try json.skip()
            }
        }
    }

    private static func wireTimes(_ json: inout JSONReader) throws -> WireTimes {
        var numbers: [Int] = []
        try json.array { numbers.append(try $0.integer()) }
        var times = WireTimes()
        if numbers.count >= 5 {
            (times.lookUp, times.connect, times.tls) = (numbers[0], numbers[1], numbers[2])
            (times.firstByte, times.total) = (numbers[3], numbers[4])
        }
        return times
    }

    private mutating func readHost(_ json: inout JSONReader) throws {
        var (name, host) = ("", HostState())
        try json.object { json, key in
            switch key {
            case "host": name = try json.string()
            case "pausedUntil": host.pausedUntil = try json.time()
            case "allowance": host.allowance = Double(bitPattern: try json.hash())
            case "measuredAt": host.measuredAt = try json.time()
            default: try json.skip()
            }
        }
        hosts[name] = host
    }

    var record: Record? {
        switch word {
        case "began": return .began(run)
        case "turn": return .turn(fetch: fetch, subject: texts["for"] ?? "", url: texts["url"] ?? "", turn)
        case "request": return .request(fetch: fetch, headers: headers)
        case "head": return .head(fetch: fetch)
        case "body": return .body(fetch: fetch, texts["piece"].flatMap(Record.Piece.init) ?? .sent)
        case "read":
            if case .fetch(let failure) = failures["failure"] { return .read(fetch: fetch, .failure(failure)) }
            let body = WireBody(hash: hash ?? 0, size: numbers["size"] ?? 0, isSame: flags.contains("same"))
            return .read(fetch: fetch, .success(body))
        case "ended":
            return .ended(
                fetch: fetch,
                Record.Exchange(
                    nanoseconds: numbers["nanoseconds"] ?? 0, failure: failures["failure"],
                    isRefused: flags.contains("refused"), times: wireTimes))
        case "secret": return .secret(mark: texts["mark"] ?? "", sealed: RunKey.bytes(hex: texts["sealed"] ?? ""))
        case "shared": return .shared(fetch: fetch, owner: owner)
        case "reply":
            return .reply(
                RunReply(
                    podcasts: podcasts.map(PodcastID.init), kind: replyKind, askedAt: time("askedAt"),
                    repliedAt: time("repliedAt")))
        case "committing":
            return .committing(
                RunBatch(podcasts: podcasts.map(PodcastID.init), reachedAnyone: flags.contains("reachedAnyone")))
        case "hooked": return .hooked
        case "committed": return .committed
        case "finishing": return .finishing(reachedAnyone: flags.contains("reachedAnyone"))
        case "done":
            var refreshTimes = times["endedAt"].map { RefreshTimes(startedAt: times["startedAt"], endedAt: $0) }
            refreshTimes?.counters = counters
            return .done(RunEnd(reachedAnyone: flags.contains("reachedAnyone"), times: refreshTimes, hosts: hosts))
        default:
            let step = steps.step(word, texts: texts, now: time("now"), numbers: numbers, flags: flags, hosts: hosts)
            return step.map { .step($0) }
        }
    }

    private func time(_ key: String) -> Timestamp { times[key] ?? Timestamp(seconds: 0) }

    private var turn: Record.Turn {
        if let refusal = failures["refused"] { return .refused(refusal) }
        return flags.contains("shared") ? .shared : .granted
    }

    private var replyKind: RunReply.Kind {
        flags.contains("dropped") ? .dropped : RunReply.Kind(notAsked: failures["notAsked"])
    }

    private var run: RecordedRun {
        var options = RefreshOptions()
        options.mode = texts["mode"].flatMap(RefreshOptions.Mode.init) ?? .due
        options.podcasts = podcasts.isEmpty ? nil : Set(podcasts.map(PodcastID.init))
        options.limits.timeout = timeout
        options.limits.maxBodySize = numbers["maxSize"] ?? options.limits.maxBodySize
        options.limits.maxRedirects = numbers["maxRedirects"] ?? options.limits.maxRedirects
        options.newOnSubscribe = numbers["newOnSubscribe"] ?? options.newOnSubscribe
        options.hasHook = flags.contains("hasHook")
        options.transcripts = flags.contains("transcripts")
        options.chapters = flags.contains("chapters")
        var run = RecordedRun(start: RunStart(now: time("now"), startedAt: time("startedAt"), options: options))
        run.version = texts["format"] == "jimmy recording" ? numbers["version"] ?? 0 : 0
        run.program = texts["program"] ?? ""
        run.library = texts["library"] ?? ""
        run.bodies = texts["bodies"].flatMap(RecordedBodies.init) ?? .feeds
        return run
    }
}

extension RecordedFailure {
    init(from json: inout JSONReader) throws {
        var (code, status, detail) = (FetchFailure.Code.protocol, Int?.none, FetchFailure.Detail?.none)
        var (until, library, call, errno) = (Timestamp?.none, String?.none, String?.none, Int32(0))
        try json.object { json, key in
            switch key {
            case "code": code = FetchFailure.Code(rawValue: try json.string()) ?? code
            case "status": status = try json.integer()
            case "detail": detail = FetchFailure.Detail(fact: try json.string())
            case "until": until = try json.time()
            case "library": library = try json.string()
            case "call": call = try json.string()
            case "errno": errno = Int32(truncatingIfNeeded: try json.integer())
            default: try json.skip()
            }
        }
        if let until {
            self = .paused(until: until)
        } else if let library {
            self = .system(.missingLibrary(name: library, errno: errno))
        } else if let call {
            self = .system(.call(call, errno: errno))
        } else {
            self = .fetch(FetchFailure(code, status: status, detail: detail))
        }
    }
}

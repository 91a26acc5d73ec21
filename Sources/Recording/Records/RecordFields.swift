import Domain
import Records

/// The members of each kind of record.
extension Record {
    mutating func list<L: FieldList>(_ list: inout L) {
        switch self {
        case .began(var run):
            run.list(&list)
            self = .began(run)
        case .turn(var fetch, var subject, var url, var turn):
            list.number("fetch", &fetch)
            list.text("for", &subject)
            list.text("url", &url)
            turn.list(&list)
            self = .turn(fetch: fetch, subject: subject, url: url, turn)
        case .request(var fetch, var headers):
            list.number("fetch", &fetch)
            list.texts("headers", &headers)
            self = .request(fetch: fetch, headers: headers)
        case .head(var fetch):
            list.number("fetch", &fetch)
            self = .head(fetch: fetch)
        case .body(var fetch, var piece):
            list.number("fetch", &fetch)
            list.text("piece", &piece, as: { $0 == .sent ? nil : $0.rawValue }, Piece.init)
            self = .body(fetch: fetch, piece)
        case .read(var fetch, var body):
            list.number("fetch", &fetch)
            Self.list(&body, &list)
            self = .read(fetch: fetch, body)
        case .ended(var fetch, var exchange):
            list.number("fetch", &fetch)
            exchange.list(&list)
            self = .ended(fetch: fetch, exchange)
        case .secret(var mark, var sealed):
            list.text("mark", &mark)
            list.text("sealed", &sealed, as: RunKey.hex) { RunKey.bytes(hex: $0) }
            self = .secret(mark: mark, sealed: sealed)
        case .shared(var fetch, var owner):
            list.number("fetch", &fetch)
            list.number("owner", &owner)
            self = .shared(fetch: fetch, owner: owner)
        case .reply(var reply):
            reply.list(&list)
            self = .reply(reply)
        case .committing(var batch):
            list.texts("podcasts", &batch.podcasts)
            list.flag("reachedAnyone", always: &batch.reachedAnyone)
            self = .committing(batch)
        case .finishing(var reachedAnyone):
            list.flag("reachedAnyone", always: &reachedAnyone)
            self = .finishing(reachedAnyone: reachedAnyone)
        case .done(var end):
            end.list(&list)
            self = .done(end)
        case .step(var step):
            step.list(&list)
            self = .step(step)
        case .committed, .hooked: break
        }
    }

    private static func list<L: FieldList>(_ result: inout Result<WireBody, FetchFailure>, _ list: inout L) {
        var failure: RecordedFailure?
        switch result {
        case .success(var body):
            list.hash("hash", &body.hash)
            list.integer("size", always: &body.size)
            list.flag("same", &body.isSame)
            result = .success(body)
        case .failure(let error): failure = .fetch(error)
        }
        list.object("failure", &failure)
        if L.reads, case .fetch(let error) = failure { result = .failure(error) }
    }
}

extension Record.Turn {
    fileprivate mutating func list<L: FieldList>(_ list: inout L) {
        var (isShared, refusal) = (false, RecordedFailure?.none)
        switch self {
        case .granted: break
        case .shared: isShared = true
        case .refused(let failure): refusal = failure
        }
        list.flag("shared", &isShared)
        list.object("refused", &refusal)
        if L.reads { self = refusal.map { .refused($0) } ?? (isShared ? .shared : .granted) }
    }
}

extension Record.Exchange {
    fileprivate mutating func list<L: FieldList>(_ list: inout L) {
        list.integer("nanoseconds", always: &nanoseconds)
        list.flag("refused", &isRefused)
        list.object("failure", &failure)
        var numbers = times.map { [$0.lookUp, $0.connect, $0.tls, $0.firstByte, $0.total] } ?? []
        list.integers("times", &numbers)
        if L.reads, numbers.count >= 5 {
            var times = WireTimes()
            (times.lookUp, times.connect, times.tls) = (numbers[0], numbers[1], numbers[2])
            (times.firstByte, times.total) = (numbers[3], numbers[4])
            self.times = times
        }
    }
}

extension RecordedRun {
    /// A run without the version that a recording must have.
    static var blank: RecordedRun {
        let never = Timestamp(seconds: 0)
        var run = RecordedRun(start: RunStart(now: never, startedAt: never, options: RefreshOptions()))
        run.version = 0
        return run
    }

    private static let format = "jimmy recording"

    fileprivate mutating func list<L: FieldList>(_ list: inout L) {
        var format = Self.format
        list.text("format", &format)
        list.integer("version", always: &version)
        if format != Self.format { version = 0 }
        list.text("program", &program)
        list.text("library", &library)
        list.text("bodies", &bodies)
        list.time("now", &start.now)
        list.time("startedAt", &start.startedAt)
        start.options.list(&list)
    }
}

extension RefreshOptions {
    /// The options that affect the result of a run.
    fileprivate mutating func list<L: FieldList>(_ list: inout L) {
        list.text("mode", &mode, as: \.word) { Mode(word: $0) }
        var named = podcasts ?? []
        list.texts("podcasts", &named)
        if L.reads, !named.isEmpty { podcasts = named }
        list.number("timeout", &limits.timeout)
        list.integer("maxSize", always: &limits.maxBodySize)
        list.integer("maxRedirects", always: &limits.maxRedirects)
        list.integer("newOnSubscribe", always: &newOnSubscribe)
        list.flag("hasHook", &hasHook)
        list.flag("transcripts", &transcripts)
        list.flag("chapters", &chapters)
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

extension RunReply {
    static var blank: RunReply {
        let never = Timestamp(seconds: 0)
        return RunReply(podcasts: [], kind: .asked, askedAt: never, repliedAt: never)
    }

    fileprivate mutating func list<L: FieldList>(_ list: inout L) {
        list.texts("podcasts", &podcasts)
        list.time("askedAt", &askedAt)
        list.time("repliedAt", &repliedAt)
        kind.list(&list)
    }
}

extension RunEnd {
    fileprivate mutating func list<L: FieldList>(_ list: inout L) {
        list.flag("reachedAnyone", always: &reachedAnyone)
        var (times, counters) = (self.times ?? RefreshTimes(), self.times?.counters)
        list.time("startedAt", &times.startedAt)
        list.time("endedAt", &times.endedAt)
        list.object("counters", &counters)
        if L.reads, times.endedAt != nil {
            times.counters = counters ?? times.counters
            self.times = times
        }
        list.hosts(&hosts)
    }
}

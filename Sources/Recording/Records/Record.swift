import Domain

/// The records of a recording, in the order of events.
indirect enum Record: Sendable {
    /// The first record.
    case began(RecordedRun)
    /// A fetch was granted a request to a URL, shared a response, or was refused.
    case turn(fetch: UInt64, subject: String, url: String, Turn)
    /// A request was sent.
    case request(fetch: UInt64, headers: [String])
    /// The head of a response, with its bytes.
    case head(fetch: UInt64)
    /// A piece of a body, with its bytes.
    case body(fetch: UInt64, Piece)
    /// The result of reading a body whose bytes were not recorded as sent.
    case read(fetch: UInt64, Result<WireBody, FetchFailure>)
    /// An exchange has ended.
    case ended(fetch: UInt64, Exchange)
    /// A mark is used from here on; contains its meaning, sealed.
    case secret(mark: String, sealed: [UInt8])
    case shared(fetch: UInt64, owner: UInt64)
    case reply(RunReply)
    case committing(RunBatch)
    case committed
    /// The state that was held back until the end is about to be written.
    case finishing(reachedAnyone: Bool)
    /// The last batch of a run that was not killed is durable.
    case done(RunEnd)
    case step(RunStep)
    /// The command of `--on-new` took the new episodes.
    case hooked

    enum Turn: Sendable {
        case granted, shared
        case refused(RecordedFailure)
    }

    enum Piece: String, Sendable {
        /// As it was sent.
        case sent
        /// After undoing the content encodings, because something in it was replaced.
        case decoded
        /// The body of a response that is not a 200.
        case page
    }

    struct Exchange: Sendable {
        var nanoseconds = 0
        var failure: RecordedFailure?
        /// True if the receiver wanted no more of the body.
        var isRefused = false
        var times: WireTimes?
    }
}

/// A failure in the form of a recording.
enum RecordedFailure: Sendable {
    case fetch(FetchFailure)
    case paused(until: Timestamp)
    case system(SystemFailure)

    init(_ error: any Error) {
        switch error {
        case let pause as HostPaused: self = .paused(until: pause.until)
        case let failure as SystemFailure: self = .system(failure)
        default: self = .fetch(FetchFailure(error))
        }
    }

    var error: any Error {
        switch self {
        case .fetch(let failure): failure
        case .paused(let until): HostPaused(until: until)
        case .system(let failure): failure
        }
    }
}

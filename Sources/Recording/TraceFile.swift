public import Domain
import FileSystem
import Glibc
import JSON
import Synchronization

/// A run as a trace in Chrome's trace event format, for Perfetto.
///
/// Each feed under way has a lane of its own. Parsing and comparing, which overlap with it, have further lanes.
public final class TraceFile: Sendable {
    private struct State: ~Copyable {
        let descriptor: Int32
        var event = JSONWriter()
        var pending: [UInt8] = Array("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n".utf8)
        var failure: RecordingFailure?
        /// The end of the last span in each lane, by group.
        var lanes: [Group: [ContinuousClock.Instant]] = [:]

        deinit { close(descriptor) }
    }

    private let start = ContinuousClock.now
    /// Spans that were not written yet, so that measuring never waits for the disk.
    private let ended = Mutex<[RunSpan]>([])
    private let state: Mutex<State>

    /// - Throws: `RecordingFailure`.
    public init(_ path: String) throws(RecordingFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unwritable(errno: errno) }
        state = Mutex(State(descriptor: descriptor))
    }

    /// Adds a span, which the next `write` draws.
    public func add(_ span: RunSpan) { ended.withLock { $0.append(span) } }

    /// Draws the spans that have ended, and the current values of counters.
    public func write(counters: [(name: String, value: Double)]) {
        let now = microseconds(.now)
        state.withLock { state in
            writeSpans(to: &state)
            for counter in counters {
                Self.append(to: &state) {
                    $0.text("name", counter.name)
                    $0.text("ph", "C")
                    $0.number("ts", now)
                    $0.integer("pid", 1)
                    $0.object("args") { $0.number("value", counter.value) }
                }
            }
        }
    }

    /// - Returns: the failure that left the file incomplete; nil if there was none.
    public func finish() -> RecordingFailure? {
        state.withLock { state in
            writeSpans(to: &state)
            state.pending += Array("]}\n".utf8)
            Self.flush(&state)
            return state.failure
        }
    }

    private func writeSpans(to state: inout State) {
        let spans = ended.withLock { ended in
            defer { ended = [] }
            return ended
        }
        for span in spans { write(span, to: &state) }
    }

    private func write(_ span: RunSpan, to state: inout State) {
        let group = Group(of: span.stage)
        let (lane, isNew) = state.lanes[group, default: []].lane(for: span)
        let thread = group.rawValue + lane
        if isNew {
            Self.append(to: &state) {
                $0.text("name", "thread_name")
                $0.text("ph", "M")
                $0.integer("pid", 1)
                $0.integer("tid", thread)
                $0.object("args") { $0.text("name", "\(group) \(lane + 1)") }
            }
        }
        Self.append(to: &state) {
            $0.text("name", span.stage.rawValue)
            $0.text("cat", "\(group)")
            $0.text("ph", "X")
            $0.number("ts", microseconds(span.start))
            $0.number("dur", (span.end - span.start) / .microseconds(1))
            $0.integer("pid", 1)
            $0.integer("tid", thread)
            $0.object("args") {
                $0.text("feed", span.subject)
                if span.feeds > 1 { $0.integer("feeds", span.feeds) }
            }
        }
    }

    private func microseconds(_ instant: ContinuousClock.Instant) -> Double {
        ((instant - start) / .nanoseconds(1)).rounded() / 1_000
    }

    private static func append(to state: inout State, _ members: (inout JSONWriter) -> Void) {
        // The JSON writer adds the commas between events.
        state.event.removeAll()
        state.event.object(members)
        state.pending += state.event.bytes
        state.pending.append(UInt8(ascii: "\n"))
        if state.pending.count >= 1 << 17 { flush(&state) }
    }

    private static func flush(_ state: inout State) {
        if state.failure == nil {
            state.failure = writeAll(state.pending, to: state.descriptor).map { .unwritable(errno: $0) }
        }
        state.pending.removeAll(keepingCapacity: true)
    }
}

/// Groups of lanes, by the number of their first lane.
private enum Group: Int {
    case waiting = 1_000, network = 2_000, parse = 3_000, compare = 4_000, commit = 5_000, index = 6_000

    init(of stage: RunStage) {
        switch stage {
        case .wait: self = .waiting
        case .lookUp, .connect, .tls, .firstByte, .body: self = .network
        case .parse: self = .parse
        case .compare: self = .compare
        case .commit: self = .commit
        case .index: self = .index
        }
    }
}

extension [ContinuousClock.Instant] {
    /// The first free lane, so that no two spans in a lane overlap.
    fileprivate mutating func lane(for span: RunSpan) -> (lane: Int, isNew: Bool) {
        guard let lane = firstIndex(where: { $0 <= span.start }) else {
            append(span.end)
            return (count - 1, true)
        }
        self[lane] = span.end
        return (lane, false)
    }
}

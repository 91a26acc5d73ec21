public import Domain
import Glibc
import JSON
import Synchronization

/// A run as a picture: Chrome's trace event format, for Perfetto.
///
/// Each feed under way has a lane of its own; parsing and comparing, which overlap with it, have others.
public final class TraceFile: Sendable {
    private struct State: ~Copyable {
        let descriptor: Int32
        var pending: [UInt8] = Array("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[".utf8)
        var isFirst = true
        var failure: RecordingFailure?
        /// The end of the last span in each lane, by group.
        var lanes: [String: [ContinuousClock.Instant]] = [:]
        var named: Set<Int> = []

        deinit { close(descriptor) }
    }

    private let start = ContinuousClock.now
    private let state: Mutex<State>

    /// - Throws: `RecordingFailure`.
    public init(_ path: String) throws(RecordingFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .io(operation: "open", errno: errno) }
        state = Mutex(State(descriptor: descriptor))
    }

    /// A rectangle of the picture.
    public func add(_ span: RunSpan) {
        let (group, base) = Self.group(of: span.stage)
        state.withLock { state in
            // The first lane that is free, so that no two spans of a lane overlap.
            var lanes = state.lanes[group] ?? []
            let lane = lanes.firstIndex { $0 <= span.start } ?? lanes.count
            if lane == lanes.count { lanes.append(span.end) } else { lanes[lane] = span.end }
            state.lanes[group] = lanes
            if state.named.insert(base + lane).inserted {
                Self.append(&state) {
                    $0.text("name", "thread_name")
                    $0.text("ph", "M")
                    $0.integer("pid", 1)
                    $0.integer("tid", base + lane)
                    $0.object("args") { $0.text("name", "\(group) \(lane + 1)") }
                }
            }
            Self.append(&state) {
                $0.text("name", span.stage.rawValue)
                $0.text("cat", group)
                $0.text("ph", "X")
                $0.number("ts", microseconds(span.start))
                $0.number("dur", (span.end - span.start) / .microseconds(1))
                $0.integer("pid", 1)
                $0.integer("tid", base + lane)
                $0.object("args") {
                    $0.text("feed", span.subject)
                    if span.feeds > 1 { $0.integer("feeds", span.feeds) }
                }
            }
        }
    }

    /// A curve of the picture, at this moment.
    public func add(counter name: String, _ value: Double) {
        let now = microseconds(.now)
        state.withLock { state in
            Self.append(&state) {
                $0.text("name", name)
                $0.text("ph", "C")
                $0.number("ts", now)
                $0.integer("pid", 1)
                $0.object("args") { $0.number("value", value) }
            }
        }
    }

    /// - Returns: what kept the file from being whole.
    public func finish() -> RecordingFailure? {
        state.withLock { state in
            state.pending += Array("]}\n".utf8)
            Self.flush(&state)
            return state.failure
        }
    }

    private static func group(of stage: RunStage) -> (String, Int) {
        switch stage {
        case .wait: ("waiting", 1_000)
        case .lookUp, .connect, .tls, .firstByte, .body: ("network", 2_000)
        case .parse: ("parse", 3_000)
        case .compare: ("compare", 4_000)
        case .commit: ("commit", 5_000)
        case .index: ("index", 6_000)
        }
    }

    private func microseconds(_ instant: ContinuousClock.Instant) -> Double {
        ((instant - start) / .nanoseconds(1)).rounded() / 1_000
    }

    private static func append(_ state: inout State, _ members: (inout JSONWriter) -> Void) {
        if !state.isFirst { state.pending += Array(",\n".utf8) }
        state.isFirst = false
        var json = JSONWriter()
        json.object(members)
        json.withBytes { state.pending += $0 }
        if state.pending.count >= 1 << 17 { flush(&state) }
    }

    private static func flush(_ state: inout State) {
        var rest = state.pending[...]
        while !rest.isEmpty, state.failure == nil {
            let written = rest.withUnsafeBytes { write(state.descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if written == 0 || errno != EINTR {
                state.failure = .io(operation: "write", errno: written == 0 ? EIO : errno)
            }
        }
        state.pending.removeAll(keepingCapacity: true)
    }
}

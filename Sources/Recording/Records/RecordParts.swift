import Domain
import Records

/// Parts of several kinds of records.
extension FieldList {
    /// The number of a fetch.
    mutating func number(_ name: StaticString, _ value: inout UInt64) {
        var number = Int(clamping: value)
        integer(name, always: &number)
        if Self.reads { value = UInt64(max(0, number)) }
    }

    mutating func object(_ name: StaticString, _ value: inout RecordedFailure?) {
        var members = value.map { FailureMembers($0) }
        object(name, &members)
        if Self.reads, let members { value = members.failure }
    }

    mutating func hosts(_ hosts: inout [String: HostState]) {
        objects("hosts", &hosts, as: RecordedHost.hosts) {
            Dictionary($0.map { ($0.name, $0.state) }) { $1 }
        }
    }
}

/// The members of any failure.
private struct FailureMembers: ReadableFields {
    private var code: FetchFailure.Code?
    private var status: Int?
    private var detail: FetchFailure.Detail?
    private var until: Timestamp?
    private var library: String?
    private var call: String?
    private var errno: Int?

    init() {}

    init(_ failure: RecordedFailure) {
        switch failure {
        case .fetch(let failure): (code, status, detail) = (failure.code, failure.status, failure.detail)
        case .paused(let until): self.until = until
        case .system(.missingLibrary(let name, let errno)): (library, self.errno) = (name, Int(errno))
        case .system(.call(let name, let errno)): (call, self.errno) = (name, Int(errno))
        }
    }

    mutating func list<L: FieldList>(_ list: inout L) {
        list.text("code", &code)
        list.integer("status", &status)
        list.text("detail", &detail, as: { $0?.fact }) { .some(FetchFailure.Detail(fact: $0)) }
        list.time("until", &until)
        list.text("library", &library)
        list.text("call", &call)
        list.integer("errno", &errno)
    }

    /// An unknown code counts as a protocol error.
    var failure: RecordedFailure {
        let errno = Int32(truncatingIfNeeded: errno ?? 0)
        if let until { return .paused(until: until) }
        if let library { return .system(.missingLibrary(name: library, errno: errno)) }
        if let call { return .system(.call(call, errno: errno)) }
        return .fetch(FetchFailure(code ?? .protocol, status: status, detail: detail))
    }
}

private struct RecordedHost: ReadableFields {
    var name = ""
    var state = HostState()

    static func hosts(_ hosts: [String: HostState]) -> [RecordedHost] {
        hosts.sorted { $0.key < $1.key }.map { RecordedHost(name: $0.key, state: $0.value) }
    }

    mutating func list<L: FieldList>(_ list: inout L) {
        list.text("host", &name)
        list.time("pausedUntil", &state.pausedUntil)
        // Every bit counts, since the value goes into the library.
        var bits = state.allowance?.bitPattern
        list.hash("allowance", &bits)
        if L.reads { state.allowance = bits.map { Double(bitPattern: $0) } }
        list.time("measuredAt", &state.measuredAt)
    }
}

extension RunReply.Kind {
    mutating func list<L: FieldList>(_ list: inout L) {
        var (isDropped, failure) = (false, RecordedFailure?.none)
        switch self {
        case .asked: break
        case .dropped: isDropped = true
        case .paused(let until): failure = .paused(until: until)
        case .unreachable(let error): failure = .fetch(error)
        }
        list.flag("dropped", &isDropped)
        list.object("notAsked", &failure)
        guard L.reads else { return }
        switch failure {
        case .paused(let until): self = .paused(until: until)
        case .fetch(let error): self = .unreachable(error)
        case .system, nil: self = isDropped ? .dropped : .asked
        }
    }
}

public import Domain

/// The counters of refreshes, as stored in the ledger and in recordings.
extension JSONWriter {
    public mutating func value(_ counters: RunCounters) {
        object {
            $0.integer("refreshes", counters.refreshes)
            $0.object("fetches") { json in
                for kind in RefreshOutcome.Kind.allCases {
                    guard let count = counters.fetches[kind] else { continue }
                    json.key(kind.rawValue)
                    json.value(count)
                }
            }
            $0.integer("added", counters.added)
            $0.integer("bytes", counters.bytes)
            $0.integer("milliseconds", counters.milliseconds)
            $0.object("nanoseconds") { json in
                for stage in RunStage.allCases {
                    json.key(stage.rawValue)
                    json.value(counters.stages[stage])
                }
            }
        }
    }
}

extension JSONReader {
    public mutating func counters() throws -> RunCounters {
        var counters = RunCounters()
        try object { json, key in
            switch key {
            case "refreshes": counters.refreshes = try json.integer()
            case "fetches":
                try json.object { json, name in
                    let count = try json.integer()
                    if let kind = RefreshOutcome.Kind(rawValue: name) { counters.fetches[kind] = count }
                }
            case "added": counters.added = try json.integer()
            case "bytes": counters.bytes = try json.integer()
            case "milliseconds": counters.milliseconds = try json.integer()
            case "nanoseconds":
                try json.object { json, name in
                    let nanoseconds = try json.integer()
                    if let stage = RunStage(rawValue: name) { counters.stages[stage] = nanoseconds }
                }
            default: try json.skip()
            }
        }
        return counters
    }
}

import Domain
import JSON
import Records

/// When the last refresh ran, and the counters over all refreshes: `ledger.json`.
enum TimesFile {
    static let document = Document(name: "ledger.json")

    static func load(_ disk: Disk, _ anchors: LibraryMarker.Anchors) throws -> (times: RefreshTimes, revision: Int) {
        var times = RefreshTimes()
        let revision = try document.read(disk, atLeast: anchors.revisions[document.name]) {
            try times.read($1, from: &$0)
        }
        return (times, revision)
    }

    static func write(_ times: RefreshTimes, revision: Int, _ disk: Disk) throws {
        try disk.replace(count: 2) { batch in
            try document.write(to: &batch, revision: revision) { times.write(to: &$0) }
        }
    }
}

/// The state of hosts that outlives a run: `hosts.json`.
enum HostFile {
    static let document = Document(name: "hosts.json")

    static func load(_ disk: Disk, _ anchors: LibraryMarker.Anchors) throws -> (hosts: [String: HostState], revision: Int) {
        var members = Members()
        let revision = try document.read(disk, atLeast: anchors.revisions[document.name]) {
            try members.read($1, from: &$0)
        }
        return (members.hosts, revision)
    }

    static func write(_ hosts: [String: HostState], revision: Int, _ disk: Disk) throws {
        try disk.replace(count: 2) { batch in
            try document.write(to: &batch, revision: revision) { Members(hosts: hosts).write(to: &$0) }
        }
    }

    private struct Members: ReadableFields {
        var hosts: [String: HostState] = [:]

        mutating func list<L: FieldList>(_ list: inout L) { list.objects("hosts", byKey: &hosts) }
    }
}

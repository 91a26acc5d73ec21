import Domain
import JSON

/// How far a log has come: the sum of its last line says what all of it is, because each line counts the one before in.
struct LogAnchor: Hashable, Sendable {
    /// Counts how often the log was written anew.
    var generation: Int
    /// Bytes.
    var length: Int
    var sum: UInt64
}

/// A file of summed lines that grows at its end: a change costs its own bytes, whatever the size of the rest.
///
/// The first line is a header. When most of the file is outdated it is written anew, as the next generation. Lines
/// behind the anchor that are not whole are an append that was interrupted: no damage, cut off by the next append.
struct RecordLog: Sendable {
    static let version = 1

    let name: String
    /// Where the valid part ends now.
    private(set) var anchor = LogAnchor(generation: 0, length: 0, sum: 0)
    /// The library's revision when the generation was written.
    private(set) var headerRevision = 0
    /// Bytes of the generation when it was written.
    private var firstLength = 0

    init(name: String) { self.name = name }

    private var isDamaged = false

    /// There is no file yet, it is damaged, or more of it is outdated than a reader should have to pass over.
    private var mustBeRewritten: Bool {
        anchor.generation == 0 || isDamaged || anchor.length > 2 * firstLength + (64 << 10)
    }

    /// Reads all lines in order. Damage is given to `damaged` with its line number, and reading goes on behind it.
    ///
    /// - Parameter isWhole: asked after each line: false if the change it belongs to goes on in the next line. A change whose
    ///   last line is missing is an append that was interrupted.
    mutating func load(
        _ disk: Disk, from known: LogAnchor?, line: ([UInt8], Range<Int>) throws -> Void, isWhole: () -> Bool = { true },
        damaged: (LibraryFailure) throws -> Void
    ) throws {
        var isDamaged = false
        try read(disk, from: known, line: line, isWhole: isWhole) { failure in
            isDamaged = true
            try damaged(failure)
        }
        self.isDamaged = isDamaged
        // The next generation must be newer than anything that was.
        if isDamaged, let known { anchor.generation = max(anchor.generation, known.generation) }
    }

    private mutating func read(
        _ disk: Disk, from known: LogAnchor?, line: ([UInt8], Range<Int>) throws -> Void, isWhole: () -> Bool,
        damaged: (LibraryFailure) throws -> Void
    ) throws {
        let bytes: [UInt8]
        do {
            guard let found = try disk.read(name) else {
                if known != nil { try damaged(Damage.missing.failure(name)) }
                return
            }
            bytes = found
        } catch let failure as LibraryFailure {
            guard case .damaged = failure else { throw failure }
            return try damaged(failure)
        }
        var lines = ChecksummedLine.lines(bytes)[...]
        var reading = Reading()
        var number = 0
        var reachedKnown = known == nil
        while let range = lines.popFirst() {
            number += 1
            let isWritten = range.lowerBound < reading.firstLength || reading.isAnchored(range, known)
            guard let sum = reading.sum(of: range, in: bytes) else {
                if !isWritten, number > 1 { break }
                if let inner = ChecksummedLine.inner(bytes, range) { lines.insert(inner, at: lines.startIndex) }
                reading.passOver(range, in: bytes)
                if number == 1, let known { reading.previous.append(UInt64(known.generation)) }
                try damaged(Damage.sum.failure(name, line: number))
                continue
            }
            reading.previous = [sum]
            do {
                if number > 1 {
                    try line(bytes, range)
                } else if try !readHeader(bytes, range, &reading) {
                    return try damaged(Damage.swapped.failure(name))
                }
            } catch let error as JSONError {
                try damaged(Damage.structure(error).failure(name, line: number))
            }
            guard isWhole() else { continue }
            anchor = LogAnchor(
                generation: reading.generation ?? 0, length: range.upperBound, sum: reading.previous.first ?? sum)
            if anchor == known { reachedKnown = true }
        }
        firstLength = reading.firstLength
        headerRevision = reading.headerRevision
        if anchor.length < firstLength { try damaged(Damage.short.failure(name)) }
        if let known, !reachedKnown, anchor.generation <= known.generation { try damaged(Damage.older.failure(name)) }
    }

    /// The log that this file says it is; nil where its first line cannot be read.
    static func owner(of bytes: [UInt8]) -> String? {
        guard let first = ChecksummedLine.lines(bytes).first, ChecksummedLine.verified(bytes, first, after: 0) != nil else {
            return nil
        }
        var owner: String?
        try? ChecksummedLine.read(bytes, first) { json, key in
            if key == "file" { owner = try json.string() } else { try json.skip() }
        }
        return owner
    }

    /// Appends `lines`; writes the log anew, of what `whole` adds, where that is needed.
    mutating func extend(
        _ disk: Disk, headerRevision: Int = 0, lines: (inout Lines) -> Void, whole: (inout Lines) -> Void
    ) throws {
        guard mustBeRewritten else { return try append(disk, lines) }
        var next = self
        try disk.replace { try next.rewrite(&$0, headerRevision: headerRevision, whole) }
        self = next
    }

    /// Appends what `write` adds, and makes it durable. After a failure the log is what it was.
    mutating func append(_ disk: Disk, _ write: (inout Lines) -> Void) throws {
        var lines = Lines(sum: anchor.sum)
        write(&lines)
        guard lines.count > 0 else { return }
        do {
            try lines.json.withBytes { try disk.append(name, $0, at: anchor.length) }
        } catch {
            // Lines that were written and not synced must not be taken for durable ones.
            disk.cutOff(name, at: anchor.length)
            throw error
        }
        anchor.length += lines.count
        anchor.sum = lines.sum
    }

    /// Writes the log anew, with a header and what `write` adds: it is called twice, because the header says how long the
    /// log is, and all of it at once would take more memory than the podcasts do.
    mutating func rewrite(
        _ batch: inout AtomicBatch, headerRevision: Int = 0, _ write: (inout Lines) -> Void
    ) throws {
        let generation = anchor.generation + 1
        var measured = Lines(sum: UInt64(generation)) { _ in }
        write(&measured)
        // The header says how long the generation is, itself included.
        var header = JSONWriter()
        var length = 0
        repeat {
            length = header.count + measured.count
            header.removeAll()
            ChecksummedLine.append(to: &header, after: 0) {
                $0.integer("version", Self.version)
                $0.text("file", self.name)
                $0.integer("generation", generation)
                $0.integer("length", length)
                if headerRevision > 0 { $0.integer("contentRevision", headerRevision) }
            }
        } while length != header.count + measured.count
        try batch.write(name) { give in
            try header.withBytes(give)
            var failure: (any Error)?
            withoutActuallyEscaping(give) { give in
                var lines = Lines(sum: UInt64(generation)) { piece in
                    do { if failure == nil { try give(piece) } } catch { failure = error }
                }
                write(&lines)
                lines.end()
            }
            if let failure { throw failure }
        }
        anchor = LogAnchor(generation: generation, length: length, sum: measured.sum)
        firstLength = length
        self.headerRevision = headerRevision
        isDamaged = false
    }

    private func readHeader(_ bytes: [UInt8], _ range: Range<Int>, _ reading: inout Reading) throws -> Bool {
        var version = 0
        var owner = name
        try ChecksummedLine.read(bytes, range) { json, key in
            switch key {
            case "version": version = try json.integer()
            case "file": owner = try json.string()
            case "generation": reading.generation = try json.integer()
            case "length": reading.firstLength = try json.integer()
            case "contentRevision": reading.headerRevision = try json.integer()
            default: try json.skip()
            }
        }
        reading.previous = [UInt64(max(0, reading.generation ?? 0))]
        if version > Document.newestVersion { throw LibraryFailure.newerVersion(file: name, version: version) }
        return owner == name
    }

    private struct Reading {
        var generation: Int?
        var firstLength = 0
        var headerRevision = 0
        /// What the sum of the line before may be: behind a damaged line it may be what it says or what it has.
        var previous: [UInt64] = [0]

        func isAnchored(_ line: Range<Int>, _ known: LogAnchor?) -> Bool {
            guard let known, generation == nil || generation == known.generation else { return false }
            return line.lowerBound < known.length
        }

        mutating func passOver(_ line: Range<Int>, in bytes: [UInt8]) {
            let computed = previous.map { ChecksummedLine.computed(bytes, line, after: $0) }
            previous = [ChecksummedLine.stored(bytes, line)].compactMap { $0 } + computed
        }

        func sum(of line: Range<Int>, in bytes: [UInt8]) -> UInt64? {
            for sum in previous {
                if let sum = ChecksummedLine.verified(bytes, line, after: sum) { return sum }
            }
            return nil
        }
    }

    /// Lines on their way into a log, each chained to the one before.
    struct Lines {
        private(set) var json = JSONWriter()
        private(set) var sum: UInt64
        /// Bytes that were handed on.
        private var given = 0
        private let hand: ((UnsafeRawBufferPointer) -> Void)?
        /// Bytes.
        var count: Int { given + json.count }

        /// - Parameter hand: is given the lines when some have gathered, and in `end`; without it they are kept.
        init(sum: UInt64, handing hand: ((UnsafeRawBufferPointer) -> Void)? = nil) {
            self.sum = sum
            self.hand = hand
        }

        mutating func end() {
            guard let hand else { return }
            json.withBytes(hand)
            given += json.count
            json.removeAll()
        }

        mutating func add(_ podcast: PodcastID, _ members: (inout JSONWriter) -> Void) {
            add {
                $0.text("podcast", podcast.text)
                members(&$0)
            }
        }

        mutating func add(_ members: (inout JSONWriter) -> Void) {
            if json.count > 256 << 10 { end() }
            sum = ChecksummedLine.append(to: &json, after: sum, members)
        }
    }
}

import Domain
import JSON
import Records

/// The state of a log. The checksum of the last line identifies the whole log, because each checksum covers the one
/// before.
struct LogAnchor: Hashable, Sendable {
    /// Number of times the log was rewritten.
    var generation = 0
    /// In bytes.
    var length = 0
    var sum: UInt64 = 0
}

extension LogAnchor: ReadableFields {
    mutating func list<L: FieldList>(_ list: inout L) {
        list.integer("generation", always: &generation)
        list.integer("length", always: &length)
        list.hash("sum", &sum)
    }
}

/// A file of checksummed lines that grows at its end: a change costs its own bytes, however large the file is.
///
/// The first line is a header. A log that consists mostly of outdated lines is rewritten as the next generation.
/// Incomplete lines after the anchor are an interrupted append: they are not damage, and the next append cuts them off.
/// Nothing that was reported is in them: a change is reported after its lines were synced and the anchor was noted.
struct RecordLog: Sendable {
    static let version = 1

    let name: String
    /// The end of the valid part.
    private(set) var anchor = LogAnchor()
    /// The library's revision when this generation was written.
    private(set) var headerRevision = 0
    /// Size in bytes of this generation when it was written.
    private(set) var firstLength = 0

    init(name: String) { self.name = name }

    /// A log whose state is known, so that it can be continued without reading it.
    init(name: String, anchor: LogAnchor, headerRevision: Int, firstLength: Int) {
        self.name = name
        (self.anchor, self.headerRevision, self.firstLength) = (anchor, headerRevision, firstLength)
    }

    private var isDamaged = false

    /// True if the file does not exist yet, is damaged, or has more outdated lines than a reader should have to skip.
    var mustBeRewritten: Bool {
        !isSound || anchor.length > 2 * firstLength + (64 << 10)
    }

    private var isSound: Bool { anchor.generation > 0 && !isDamaged }

    /// Reads all lines in order. Damage is passed to `damaged` with its line number, and reading continues after it.
    ///
    /// - Parameters:
    ///   - expected: the anchor that the log must have reached.
    ///   - isWhole: called after each line; false if the line's change continues in the next line. A change whose last
    ///     line is missing is an interrupted append.
    mutating func load(
        _ disk: Disk, from expected: LogAnchor?, line: ([UInt8], Range<Int>) throws -> Void, isWhole: () -> Bool = { true },
        damaged: (LibraryFailure) throws -> Void
    ) throws {
        var isDamaged = false
        try read(disk, from: expected, line: line, isWhole: isWhole) { failure in
            isDamaged = true
            try damaged(failure)
        }
        self.isDamaged = isDamaged
        // The next generation must be newer than any before.
        if isDamaged, let expected { anchor.generation = max(anchor.generation, expected.generation) }
    }

    /// Reports a line that is as it was written and is not understood all the same.
    mutating func report(_ error: JSONError, line: Int, to damaged: (LibraryFailure) throws -> Void) throws {
        isDamaged = true
        try damaged(Damage.structure(error).failure(name, line: line))
    }

    private mutating func read(
        _ disk: Disk, from expected: LogAnchor?, line: ([UInt8], Range<Int>) throws -> Void, isWhole: () -> Bool,
        damaged: (LibraryFailure) throws -> Void
    ) throws {
        let bytes: [UInt8]
        do {
            guard let contents = try disk.read(name) else {
                if expected != nil { try damaged(Damage.missing.failure(name)) }
                return
            }
            bytes = contents
        } catch let failure as LibraryFailure {
            guard case .damaged = failure else { throw failure }
            return try damaged(failure)
        }
        var lines = ChecksummedLine.lines(bytes)[...]
        var reading = Reading()
        var number = 0
        var reachedExpected = expected == nil
        while let range = lines.popFirst() {
            number += 1
            let isWritten = range.lowerBound < reading.firstLength || reading.isAnchored(range, expected)
            guard let sum = reading.sum(of: range, in: bytes) else {
                if !isWritten, number > 1 { break }
                if let inner = ChecksummedLine.inner(bytes, range) { lines.insert(inner, at: lines.startIndex) }
                reading.passOver(range, in: bytes)
                if number == 1, let expected { reading.previous.append(UInt64(expected.generation)) }
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
            if anchor == expected { reachedExpected = true }
        }
        firstLength = reading.firstLength
        headerRevision = reading.headerRevision
        if anchor.length < firstLength { try damaged(Damage.short.failure(name)) }
        if let expected, !reachedExpected, anchor.generation <= expected.generation { try damaged(Damage.older.failure(name)) }
    }

    /// The name of the log that these bytes belong to, from the header; nil if the first line cannot be read.
    static func owner(of bytes: [UInt8]) -> String? {
        guard let first = ChecksummedLine.lines(bytes).first, ChecksummedLine.verified(bytes, first, after: 0) != nil else {
            return nil
        }
        var header = Header()
        try? ChecksummedLine.read(bytes, first) { try header.read($1, from: &$0) }
        return header.file.isEmpty ? nil : header.file
    }

    /// Appends `lines`, or rewrites the log with the lines of `whole` if that is due.
    ///
    /// - Parameter mayGrow: true if a sound log may be appended to all the same.
    mutating func extend(
        _ disk: Disk, headerRevision: Int = 0, mayGrow: Bool = false, lines: (inout Lines) -> Void,
        whole: (inout Lines) -> Void
    ) throws {
        guard mustBeRewritten, !mayGrow || !isSound else { return try append(disk, lines) }
        var next = self
        try disk.replace { try next.rewrite(&$0, headerRevision: headerRevision, whole) }
        self = next
    }

    /// Appends the lines that `write` adds and makes them durable. After a failure the log is unchanged.
    mutating func append(_ disk: Disk, _ write: (inout Lines) -> Void) throws {
        var lines = Lines(sum: anchor.sum)
        write(&lines)
        guard lines.count > 0 else { return }
        do {
            try lines.json.withBytes { try disk.append(name, $0, at: anchor.length) }
        } catch {
            // Lines that were written but not synced must not pass for durable ones.
            disk.cutOff(name, at: anchor.length)
            throw error
        }
        anchor.length += lines.count
        anchor.sum = lines.sum
    }

    /// Rewrites the log, with a header and the lines that `write` adds. `write` is called twice: the header contains
    /// the log's length, and holding all lines at once would take more memory than the podcasts themselves.
    mutating func rewrite(
        _ batch: inout AtomicBatch, headerRevision: Int = 0, _ write: (inout Lines) -> Void
    ) throws {
        let generation = anchor.generation + 1
        var measured = Lines(sum: UInt64(generation)) { _ in }
        write(&measured)
        // The length of the generation includes the header, and thus the digits of the length itself.
        var header = JSONWriter()
        var length = 0
        repeat {
            length = header.count + measured.count
            header.removeAll()
            ChecksummedLine.append(to: &header, after: 0) {
                Header(file: name, generation: generation, length: length, contentRevision: headerRevision).write(to: &$0)
            }
        } while length != header.count + measured.count
        try batch.write(name) { output in
            try header.withBytes(output)
            var failure: (any Error)?
            withoutActuallyEscaping(output) { output in
                var lines = Lines(sum: UInt64(generation)) { piece in
                    do { if failure == nil { try output(piece) } } catch { failure = error }
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
        var header = Header(file: name)
        try ChecksummedLine.read(bytes, range) { try header.read($1, from: &$0) }
        (reading.generation, reading.firstLength) = (header.generation, header.length)
        reading.headerRevision = header.contentRevision
        reading.previous = [UInt64(max(0, header.generation ?? 0))]
        if header.version > EpisodeFile.version { throw LibraryFailure.newerVersion(file: name, version: header.version) }
        return header.file == name
    }

    private struct Header: ReadableFields {
        var version = RecordLog.version
        var file = ""
        var generation: Int?
        /// The length of the generation when it was written.
        var length = 0
        var contentRevision = 0

        mutating func list<L: FieldList>(_ list: inout L) {
            list.integer("version", always: &version)
            list.text("file", &file)
            list.integer("generation", &generation)
            list.integer("length", always: &length)
            list.integer("contentRevision", &contentRevision)
        }
    }

    private struct Reading {
        var generation: Int?
        var firstLength = 0
        var headerRevision = 0
        /// Possible checksums of the preceding line. If that is damaged: the one it states and those computed for it.
        var previous: [UInt64] = [0]

        func isAnchored(_ line: Range<Int>, _ expected: LogAnchor?) -> Bool {
            guard let expected, generation == nil || generation == expected.generation else { return false }
            return line.lowerBound < expected.length
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
}

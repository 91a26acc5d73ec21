import Domain
import Records

/// Collects the header and the lines of some episodes while their file is read.
struct WantedEpisodes {
    /// The lines so far.
    private(set) var bytes: [UInt8] = []
    private(set) var isDamaged = false
    /// Sorted, since most files are read for one or two episodes: making sets would take longer than looking.
    private var wanted: [(ending: UInt64, id: EpisodeID, isFound: Bool)]
    private var missing: Int
    private let podcast: PodcastID
    private let places: EpisodePlaces?
    /// Offsets of lines to be read; nil if all lines are read.
    private var offsets: [Int]?
    private var headerSize = 0
    /// The table to be made of a large file without one.
    private var table: EpisodePlaces.Table?

    init(_ ids: Set<EpisodeID>, of podcast: PodcastID, _ places: EpisodePlaces?) {
        wanted = ids.map { (EpisodeRecord.ending(of: $0), $0, false) }.sorted { $0.ending < $1.ending }
        missing = wanted.count
        (self.podcast, self.places) = (podcast, places)
    }

    /// Looks at the next line that was read.
    mutating func take(_ window: [UInt8], _ line: Range<Int>, fileSize: Int) -> Disk.Step {
        let isHeader = bytes.isEmpty
        if !isHeader { table?.addLine(of: EpisodeRecord.ending(window, line), size: line.count) }
        if isHeader || isWanted(window, line) {
            guard let sum = ChecksummedLine.verified(window, line) else {
                isDamaged = true
                return .end
            }
            bytes += window[line]
            if isHeader { findPlaces(sum, headerSize: line.count, fileSize) }
        }
        if missing == 0, table == nil { return .end }
        guard offsets != nil else { return .next }
        if let next = offsets?.popLast() { return .jump(to: next) }
        // An episode that is not where the table says, or not in it, may still be in the file.
        offsets = nil
        return .jump(to: headerSize)
    }

    /// If more episodes are wanted than one in so many bytes, reading all lines is faster.
    private static let bytesPerJump = 64 << 10

    private mutating func findPlaces(_ sum: UInt64, headerSize: Int, _ fileSize: Int) {
        self.headerSize = headerSize
        guard let places, missing > 0, fileSize >= EpisodePlaces.minFileSize, missing < fileSize / Self.bytesPerJump
        else { return }
        offsets = places.offsets(of: wanted.map(\.ending), in: podcast, header: sum)?
            .filter { (headerSize..<fileSize).contains($0) }
        if offsets == nil { table = EpisodePlaces.Table(header: sum, headerSize: headerSize) }
    }

    private mutating func isWanted(_ window: [UInt8], _ line: Range<Int>) -> Bool {
        guard let ending = EpisodeRecord.ending(window, line) else { return false }
        var index = wanted.partitioningIndex { $0.ending >= ending }
        while index < wanted.count, wanted[index].ending == ending {
            if !wanted[index].isFound, EpisodeRecord.id(window, line) == wanted[index].id {
                wanted[index].isFound = true
                missing -= 1
                return true
            }
            index += 1
        }
        return false
    }

    /// Keeps what was learned about the file, whose end was reached.
    func savePlaces() {
        if let table, !isDamaged { places?.save(table, of: podcast) }
    }
}

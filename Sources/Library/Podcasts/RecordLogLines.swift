import Domain
import JSON
import Records

extension RecordLog {
    /// Lines to be written to a log, each chained to the one before.
    struct Lines {
        private(set) var json = JSONWriter()
        private(set) var sum: UInt64
        /// Number of bytes passed on to `output`.
        private var outputCount = 0
        private let output: ((RawSpan) -> Void)?
        /// In bytes.
        var count: Int { outputCount + json.count }

        /// - Parameter output: receives the lines in larger pieces, the last of them in `end`. If it is nil, they stay in `json`.
        init(sum: UInt64, to output: ((RawSpan) -> Void)? = nil) {
            self.sum = sum
            self.output = output
        }

        mutating func end() {
            guard let output else { return }
            json.withBytes(output)
            outputCount += json.count
            json.removeAll()
        }

        /// Adds what differs from an earlier record; everything if that is nil.
        mutating func add(_ podcast: Podcast, since earlier: Podcast?) {
            add(podcast.id) { PodcastRecord.write(podcast, since: earlier, to: &$0) }
        }

        /// The same for the mirror.
        mutating func addSubscription(_ podcast: Podcast, since earlier: Podcast?) {
            add(podcast.id) { PodcastRecord.writeSubscription(podcast, since: earlier, to: &$0) }
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

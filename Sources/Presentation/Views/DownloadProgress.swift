public import Domain
public import Results

/// The progress of a run's files: name, size, speed and time left of the one that began first, and the number of
/// others.
public struct DownloadProgress: Sendable {
    private struct File {
        let id: EpisodeID
        let title: String
        var bytes: Int
        var total: Int?
        /// The bytes stored when it began, and the time in seconds.
        let began: (bytes: Int, at: Double)
    }

    private var files: [File] = []

    public init() {}

    /// - Parameter seconds: since any fixed moment.
    public mutating func follow(_ step: DownloadProgressStep, at seconds: Double) {
        guard let index = files.firstIndex(where: { $0.id == step.id }) else {
            let file = File(
                id: step.id, title: step.title.oneLine, bytes: step.bytes, total: step.total, began: (step.bytes, seconds))
            return files.append(file)
        }
        (files[index].bytes, files[index].total) = (step.bytes, step.total)
    }

    public mutating func ended(_ id: EpisodeID) { files.removeAll { $0.id == id } }

    /// `Lighthouse keepers  12 MB of 80 MB  1.2 MB/s  57 s left  2 more`
    public func line(width: Int, at seconds: Double) -> String {
        guard let file = files.first else { return "" }
        var parts = [formattedSize(file.bytes, of: file.total)]
        let elapsed = seconds - file.began.at
        let speed = elapsed > 0.5 ? Double(file.bytes - file.began.bytes) / elapsed : 0
        if speed >= 1 {
            parts.append("\(formattedSize(Int(speed)))/s")
            if let total = file.total, total > file.bytes {
                parts.append("\(span(Int64((Double(total - file.bytes) / speed).rounded(.up)))) left")
            }
        }
        if files.count > 1 { parts.append("\(files.count - 1) more") }
        let facts = parts.joined(separator: "  ")
        let title = file.title.truncated(to: max(width - 3 - facts.count, 8))
        return "\(title)  \(facts)".truncated(to: width - 1)
    }
}

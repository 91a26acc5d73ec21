public import Domain
public import Results

/// The result for one file.
public struct DownloadView: View {
    let outcome: DownloadOutcome

    public init(_ outcome: DownloadOutcome) { self.outcome = outcome }

    private var file: DownloadedFile? {
        switch outcome.kind {
        case .downloaded(let file), .present(let file): file
        case .failed, .skipped, .busy, .storageFailed: nil
        }
    }

    private var word: String {
        switch outcome.kind {
        case .downloaded: "downloaded"
        case .present: "present"
        case .failed, .storageFailed: "failed"
        case .skipped, .busy: "skipped"
        }
    }

    /// Why there is no file; nil if there is one.
    public var failure: String? { why { $0.localDateAndTime } }

    private func why(_ date: (Timestamp) -> String = \.description) -> String? {
        switch outcome.kind {
        case .downloaded, .present: nil
        case .failed(let failure): failure.words
        case .storageFailed(let failure): FailureLine(failure, doing: "download").why
        case .skipped(let until?): "not before \(date(until))"
        case .skipped(nil): "over the limit"
        case .busy: "another jimmy is downloading it"
        }
    }

    public func lines(for display: Display) -> [String] {
        let id = outcome.listed.episode.id.text
        guard display.isTerminal else {
            return [
                [word, id, file.map { String($0.bytes) } ?? "", file?.path.exactLine ?? why()?.oneLine ?? ""]
                    .joined(separator: "\t")
            ]
        }
        let title = (outcome.listed.episode.item.title ?? id).oneLine
        let end = file.map { formattedSize($0.bytes) } ?? why(display.date) ?? ""
        return display.fitted("\(word)  \(title)  \(end.oneLine)")
    }

    public func jsonLines(_ emit: (String) -> Void) {
        emit(jsonLine(Row(id: outcome.listed.episode.id.text, file: file, word: word, why: why())))
    }

    private struct Row: Fields {
        let id: String
        let file: DownloadedFile?
        let word: String
        let why: String?

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("type", "file")
            visitor.text("id", id)
            visitor.text("path", file?.path)
            visitor.integer("bytes", file?.bytes)
            visitor.text("outcome", word)
            visitor.text("error", why)
        }
    }
}

/// The downloaded files.
public struct DownloadListView: View {
    public struct File: Sendable {
        var id: EpisodeID
        var file: DownloadedFile
        var isMissing: Bool

        public init(id: EpisodeID, file: DownloadedFile, isMissing: Bool) {
            (self.id, self.file, self.isMissing) = (id, file, isMissing)
        }
    }

    let files: [File]

    public init(_ files: [File]) { self.files = files }

    public var episodeIDs: [EpisodeID] { files.map(\.id) }

    public func lines(for display: Display) -> [String] {
        guard display.isTerminal else {
            return files.map { file in
                ([file.id.text, String(file.file.bytes), file.file.path.exactLine] + (file.isMissing ? ["missing"] : []))
                    .joined(separator: "\t")
            }
        }
        var table = Table([.init("ID"), .init("SIZE", rightAligned: true), .init("FILE", isName: true)])
        table.rows = files.map { file in
            [
                .init(display.shown(file.id)), .init(file.isMissing ? "missing" : formattedSize(file.file.bytes)),
                .init(file.file.path.oneLine),
            ]
        }
        return table.lines(for: display)
    }

    public func jsonLines(_ emit: (String) -> Void) { for file in files { emit(jsonLine(Row(file: file))) } }

    private struct Row: Fields {
        let file: File

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("id", file.id.text)
            visitor.text("path", file.file.path)
            visitor.integer("bytes", file.file.bytes)
            visitor.flag("missing", file.isMissing ? true : nil)
        }
    }
}

/// Downloaded episodes, as the command of `on-download` gets them.
public struct DownloadedEpisodesView {
    /// - Returns: JSON Lines: rows of `episodes --json` with the path of each file.
    public static func json(_ files: [(listed: ListedEpisode, path: String)]) -> [UInt8] {
        files.flatMap { Array(jsonLine(Row(episode: EpisodeRow($0.listed), path: $0.path)).utf8) + [UInt8(ascii: "\n")] }
    }

    private struct Row: Fields {
        let episode: EpisodeRow
        let path: String

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("path", path)
            episode.visit(&visitor)
        }
    }
}

/// Other wording of `download` and `downloads`.
public enum DownloadWording {
    public static let nothing = "Nothing new to download; 'jimmy download EPISODE' takes an older one."
    public static let none = "Nothing is downloaded."
    public static let noTagWriter = FailureLine(
        "tags", "ffmpeg is not installed; files stay as servers sent them", status: .incomplete,
        advice: "'jimmy config set tags off' stops this note")
    public static func untagged(_ path: String, _ failure: MediaTagFailure) -> FailureLine {
        let why =
            switch failure {
            case .program(let name, let status?): "\(name) exited with \(status)"
            case .program(let name, nil): "\(name) could not be started"
            case .io(let errno): systemWords(errno)
            }
        return FailureLine(path, "no tags written: \(why); the file is as the server sent it", status: .incomplete)
    }
    public static let limitOfZero = "A limit of 0 downloads nothing."

    /// - Parameter files: the files deleted because their podcasts keep fewer.
    public static func dropped(_ files: [DownloadedFile]) -> String {
        "Deleted \(counted(files.count, "played file")) (\(formattedSize(files.reduce(0) { $0 + $1.bytes })))."
    }

    public static let noneOfThese = "No file was deleted."
    public static func removed(_ files: [DownloadedFile]) -> String {
        "Deleted \(counted(files.count, "file")) (\(formattedSize(files.reduce(0) { $0 + $1.bytes })))."
    }
    public static func changed(_ file: DownloadedFile) -> FailureLine {
        FailureLine(file.path, "changed since it was downloaded; not deleted", status: .incomplete)
    }

    /// nil if nothing was tried.
    public static func summary(_ summary: DownloadSummary) -> String? {
        let parts = [
            (summary.downloaded, "downloaded (\(formattedSize(summary.bytes)))"), (summary.present, "already downloaded"),
            (summary.failed, "failed"), (summary.skipped, "skipped"),
        ].filter { $0.0 > 0 }
        return parts.isEmpty ? nil : parts.map { "\(grouped($0.0)) \($0.1)" }.joined(separator: ", ") + "."
    }

    /// nil if the limit left nothing out.
    public static func beyondLimit(_ summary: DownloadSummary) -> String? {
        summary.beyondLimit > 0 ? "\(summary.beyondLimit) more; '--limit N' downloads more." : nil
    }

    /// nil if no file failed.
    public static func failure(_ summary: DownloadSummary) -> FailureLine? {
        guard let failure = summary.firstFailure else { return nil }
        let all = summary.failed + summary.downloaded + summary.present + summary.skipped
        let which = all == 1 ? "" : "\(grouped(summary.failed)) of \(grouped(all)) files failed; the first: "
        return FailureLine("download", which + failure.words, status: summary.status ?? .incomplete)
    }

    public static func question(_ extent: DownloadExtent) -> String { "Download \(words(extent))?" }

    public static func tooLarge(_ extent: DownloadExtent) -> FailureLine {
        FailureLine(
            "download", "that would be \(words(extent))", status: .usage,
            advice: "'--yes' downloads them, '--limit N' or '--max-total SIZE' fewer")
    }

    private static func words(_ extent: DownloadExtent) -> String {
        counted(extent.files, "file") + (extent.bytes > 0 ? ", about \(formattedSize(extent.bytes))" : "")
    }
}

extension DownloadSummary {
    /// nil if every file exists and the user's command took them.
    public var status: ExitStatus? {
        guard failed + skipped > 0 else { return hasHookFailed ? .incomplete : nil }
        return downloaded + present == 0 && skipped == 0 ? .unavailable : .incomplete
    }
}

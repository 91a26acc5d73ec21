import Domain
public import Results

/// Wording about the library's folder.
public enum LibraryWording {
    public static func created(at path: String) -> String { "Created a library in \(path.oneLine)." }

    public static func copied(_ outcome: CopyOutcome) -> String {
        "Copied \(counted(outcome.podcasts, "podcast")) with \(counted(outcome.episodes, "episode"))."
    }
}

extension FailureLine {
    public static func noLibrary(at path: String) -> FailureLine {
        FailureLine(
            path, "no such library", status: .notFound,
            advice: "'jimmy subscribe URL' or 'jimmy opml import FILE' creates one there")
    }

    public static let recordingNeedsFolder = FailureLine(
        "recording", "only refreshes of a library in a folder can be recorded and replayed", status: .usage)

    public static let unreadablePath = FailureLine("library", "its path is not valid UTF-8", status: .usage)
}

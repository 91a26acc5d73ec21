/// Why a recording could not be written or read. Presentation words it.
public enum RecordingFailure: Error, Equatable, Sendable {
    /// The file could not be read.
    case unreadable(errno: Int32)
    /// The file could not be written.
    case unwritable(errno: Int32)
    /// libzstd or libcrypto is not installed.
    case missingLibrary(name: String)
    /// The file is not a recording.
    case notARecording
    /// Written by a later version of the program.
    case newerVersion(Int)
    /// A record is damaged; everything before it was readable.
    case damaged(record: Int)
    /// It was recorded with `--record-bodies none`.
    case noBodies
    /// The recording has no such feed.
    case noFeed(String)
    /// No fetch for that feed has a recorded document.
    case noDocument(String)
}

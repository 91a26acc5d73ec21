/// Why the library could not be read or written. Presentation words it; files are relative to the library.
public enum LibraryFailure: Error, Equatable, Sendable {
    /// A file is damaged: its line, if known, and what is wrong with it.
    case damaged(file: String, line: Int?, reason: String)
    /// Written by a newer version of the program.
    case newerVersion(file: String, version: Int)
    /// Made by a version of the program whose format is no longer read.
    case olderVersion(file: String, version: Int)
    /// A system call failed; the file is a full path.
    case io(file: String, operation: String, errno: Int32)
    /// Another process is writing, or has the lease of a refresh.
    case locked(holder: Int?, isRefresh: Bool = false)
}

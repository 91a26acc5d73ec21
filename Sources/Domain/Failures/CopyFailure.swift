/// Why a library cannot be copied to a destination.
public enum CopyFailure: Error, Equatable, Sendable {
    /// It holds a library, or other files.
    case occupied(destination: String)
    /// It holds an unfinished copy of another library.
    case otherSource(destination: String, source: String)
}

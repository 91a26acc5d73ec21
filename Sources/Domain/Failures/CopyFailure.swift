/// Why a library cannot be copied to a place.
public enum CopyFailure: Error, Equatable, Sendable {
    /// It holds a library, or other files.
    case occupied(place: String)
    /// It holds an unfinished copy of another library.
    case otherSource(place: String, source: String)
}

/// Why an episode cannot be played as requested.
public enum PlayFailure: Error, Equatable, Sendable {
    case noMedia
    case noTranscript(isOffered: Bool)
    /// The text is not in the transcript, or the transcript has no time for it.
    case textNotFound(String)
    /// - Parameter isOffered: true if the feed offers a chapters file that was not fetched.
    case noChapter(Int, of: Int, isOffered: Bool)
}

/// A sample of what a transcript says, by which those are found that share passages with it.
///
/// It has a quarter of the hashes of six words in a row, chosen by the hash itself, so that transcripts that share six words
/// also share their hash. A passage of fifty words has about ten, and of these still three if a tenth of all words is heard
/// wrongly.
public struct PassageFingerprint: Equatable, Sendable {
    /// In order, each once.
    public let hashes: [UInt32]

    /// - Parameter hashes: of a fingerprint.
    public init(hashes: [UInt32]) { self.hashes = hashes }
}

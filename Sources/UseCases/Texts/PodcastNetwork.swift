import Domain

/// Who publishes a podcast. Podcasts are of one network if they name the same publisher (`podcast:publisher`), the same
/// address of the owner (`itunes:owner`), or the same author.
///
/// A host is no network: it serves podcasts that have nothing in common, and whose repetitions may be quotations.
enum PodcastNetwork {
    /// The hashes of what two podcasts of a network have in common; none if the feed names nobody.
    static func names(of podcast: Podcast, _ channel: Channel) -> Set<UInt64> {
        let publisher = channel.publisher?.feedGuid ?? channel.publisher?.feedURL
        let author = TitleName.foldedWords(of: channel.author ?? podcast.author ?? "").joined(separator: " ")
        let names = [
            publisher.map { "publisher \($0.lowercased())" }, channel.owner?.email.map { "owner \($0.lowercased())" },
            author.isEmpty ? nil : "author \(author)",
        ]
        return Set(names.compactMap { $0.map { XXH64.hash($0.utf8) } })
    }
}

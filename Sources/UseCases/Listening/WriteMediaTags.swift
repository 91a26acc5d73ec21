import Addresses
public import Domain
import Synchronization

/// Writes title, podcast, date, cover and chapters into a downloaded file.
public struct WriteMediaTags: Sendable {
    private let fetcher: any FeedFetching
    private let writer: any MediaTagWriting
    private let episodes: any EpisodeRepository
    private let play: PlayEpisode
    private let tell: @Sendable (String, MediaTagFailure) -> Void
    private let covers = Covers()

    /// Most bytes of a picture.
    private static let maxCover = 10 << 20

    public init(
        fetcher: any FeedFetching, writer: any MediaTagWriting, episodes: any EpisodeRepository, play: PlayEpisode,
        tell: @escaping @Sendable (_ path: String, MediaTagFailure) -> Void
    ) {
        (self.fetcher, self.writer, self.episodes, self.play, self.tell) = (fetcher, writer, episodes, play, tell)
    }

    /// - Returns: the file as it is now. If its tags could not be written, it is as the server sent it.
    func callAsFunction(_ listed: ListedEpisode, _ file: DownloadedFile, _ politeness: Politeness) async -> DownloadedFile {
        let item = listed.episode.item
        var tags = MediaTags(podcast: listed.podcast.displayTitle)
        tags.title = item.title
        let channel = try? await episodes.channel(of: listed.podcast.id)
        tags.author = item.author ?? channel?.author
        tags.publishedAt = item.publishedAt
        tags.duration = item.duration
        tags.chapters = (try? await play.chapters(of: listed.episode)) ?? []
        tags.cover = await cover(of: listed, [item.imageURL, channel?.imageURL], politeness)
        do {
            return try await writer.write(tags, into: file)
        } catch let failure as MediaTagFailure {
            tell(file.path, failure)
        } catch {}
        return file
    }

    /// The first picture that can be fetched: the episode's, otherwise the podcast's.
    private func cover(of listed: ListedEpisode, _ urls: [String?], _ politeness: Politeness) async -> [UInt8]? {
        for case let url? in urls.map({ $0.flatMap(WebURL.init) }) {
            if let stored = covers.picture(at: url.text) {
                if let stored { return stored }
                continue
            }
            let picture = await picture(at: url, of: listed, politeness)
            covers.note(picture, at: url.text)
            if let picture { return picture }
        }
        return nil
    }

    private func picture(at url: WebURL, of listed: ListedEpisode, _ politeness: Politeness) async -> [UInt8]? {
        var limits = FetchLimits()
        limits.maxBodySize = Self.maxCover
        var request = FetchRequest(url: url.text, limits: limits)
        if let feed = WebURL(listed.podcast.feedURL), feed.sharesCredentials(with: url) {
            request.credentials = listed.podcast.credentials
        }
        request.userAgent = listed.podcast.settings.userAgent
        request.accept = "image/jpeg, image/png;q=0.9"
        var bytes: [UInt8] = []
        do {
            _ = try await fetcher.fetch(request, politeness.visit(for: listed.episode.id.text, ofMedia: true)) { _, piece in
                bytes += piece
            }
        } catch {
            // A picture that cannot be fetched costs no file its other tags.
            return nil
        }
        return bytes.starts(with: [0xFF, 0xD8, 0xFF]) || bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) ? bytes : nil
    }

    /// The pictures of this run. A podcast's files share one.
    private final class Covers: Sendable {
        /// nil for a picture that could not be fetched.
        private let pictures = Mutex<[String: [UInt8]?]>([:])
        /// Most pictures kept in memory.
        private static let maxKept = 8

        func picture(at url: String) -> [UInt8]?? { pictures.withLock { $0[url] } }

        func note(_ picture: [UInt8]?, at url: String) {
            pictures.withLock { pictures in
                if pictures.count >= Self.maxKept { pictures.removeAll() }
                pictures[url] = .some(picture)
            }
        }
    }
}

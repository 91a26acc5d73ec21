import Addresses
import Domain
import Results

/// Downloads one file, continuing where an earlier run stopped.
///
/// A partial file is continued only if the server still has the same file: `If-Range` carries a validator, and the
/// answer must begin where the partial file ends and have the same validator. Otherwise the file starts over in the
/// same run.
struct DownloadFile: Sendable {
    let fetcher: any FeedFetching
    let files: any MediaFiles
    let politeness: Politeness
    let room: DownloadRoom
    let follow: @Sendable (DownloadProgressStep) -> Void

    /// The file exists already, as large as the server's.
    private struct Adopted: Error { let file: DownloadedFile }

    /// The partial file does not match the server's file.
    private struct PartRefused: Error {}

    private static let accept = "audio/*, video/*, application/ogg, */*;q=0.1"
    /// A large file may take days, but a stalled connection is given up.
    private static let limits: FetchLimits = {
        var limits = FetchLimits()
        limits.timeout = 1e6
        limits.stall = 60
        limits.maxBodySize = 1 << 50
        return limits
    }()

    func callAsFunction(_ job: DownloadJob) async -> DownloadOutcome.Kind {
        guard !room.isSpent else { return .skipped(until: nil) }
        var share = DownloadShare(of: room)
        defer { share.end() }
        do {
            let file = try files.open(job.name.path(), of: job.listed.episode.id)
            do {
                return try await fetch(job, into: file, &share)
            } catch is PartRefused {
                try file.discard()
                share.end()
                return try await fetch(job, into: try files.open(job.name.path(), of: job.listed.episode.id), &share)
            } catch {
                // A later run can continue a partial file that has bytes.
                if file.bytes == 0 { try? file.discard() }
                throw error
            }
        } catch let adopted as Adopted {
            return .present(adopted.file)
        } catch is DownloadRoom.Spent {
            return .skipped(until: nil)
        } catch is MediaFileBusy {
            return .busy
        } catch let pause as HostPaused {
            return .skipped(until: pause.until)
        } catch {
            if let local = LocalFailure(error) { return .storageFailed(local) }
            return .failed(FetchFailure(error))
        }
    }

    private func fetch(
        _ job: DownloadJob, into file: any UnfinishedFile, _ share: inout DownloadShare
    ) async throws -> DownloadOutcome.Kind {
        var request = FetchRequest(url: job.url.text, limits: Self.limits)
        let podcast = job.listed.podcast
        if let feed = WebURL(podcast.feedURL), feed.sharesCredentials(with: job.url) { request.credentials = podcast.credentials }
        request.userAgent = podcast.settings.userAgent
        request.accept = Self.accept
        let source = file.source
        let part = source?.validator == nil ? 0 : file.bytes
        request.media = MediaRange(first: part, validator: source?.validator)
        var total: Int?
        var begun = false
        var headers = ResponseHeaders()
        do {
            _ = try await fetcher.fetch(request, politeness.visit(for: job.listed.episode.id.text, ofMedia: true)) {
                head, bytes in
                if !begun {
                    if head.status == 200, let existing = job.existing, existing.bytes == head.contentLength {
                        throw Adopted(file: existing)
                    }
                    try share.begin(head.contentLength)
                    headers = head.headers
                    try begin(file, head, bytes, part, source)
                    total = head.contentLength.flatMap { Self.sum(file.bytes, $0) }
                    begun = true
                }
                try share.use(bytes.count)
                try file.append(bytes)
                follow(DownloadProgressStep(job.listed, bytes: file.bytes, total: total))
            }
        } catch let failure as FetchFailure where failure.status == 416 && part > 0 {
            // Either the file is complete, or the server has another one.
            guard failure.headers.contentRange.flatMap(ContentRange.init)?.total == part else { throw PartRefused() }
            return try finish(file, job, ResponseHeaders())
        }
        // An empty body never calls `receive`.
        guard begun else {
            try file.discard()
            throw FetchFailure(.protocol, status: 200, detail: .wrongLength)
        }
        return try finish(file, job, headers)
    }

    /// nil for a length that no file has.
    private static func sum(_ a: Int, _ b: Int) -> Int? {
        let (sum, isTooLarge) = a.addingReportingOverflow(b)
        return isTooLarge ? nil : sum
    }

    private func finish(_ file: any UnfinishedFile, _ job: DownloadJob, _ headers: ResponseHeaders) throws -> DownloadOutcome.Kind
    {
        // Checked again, because the first piece may have been too short to tell.
        guard
            let ext = MediaSignature.fileExtension(
                of: try file.beginning(MediaSignature.length), serverType: headers.contentType, url: job.url.path,
                feedType: job.enclosure.type)
        else {
            try file.discard()
            throw FetchFailure(.protocol, status: 200, detail: BotWall.challenge(headers) ?? .webPage)
        }
        let item = job.listed.episode.item
        if let integrity = MediaIntegrity(of: item, enclosureURL: job.enclosure.url),
            let digest = try file.digest(integrity.algorithm), !integrity.holds(for: digest)
        {
            try file.discard()
            throw FetchFailure(.protocol, status: 200, detail: .wrongDigest)
        }
        return .downloaded(try file.finish(as: try job.name.path(ext: ext, besides: files), modifiedAt: item.publishedAt))
    }

    private func begin(
        _ file: any UnfinishedFile, _ head: ResponseHead, _ bytes: [UInt8], _ part: Int, _ source: MediaSourceState?
    ) throws {
        let now = MediaSourceState(url: head.url, etag: head.headers.etag, lastModified: head.headers.lastModified)
        if head.status == 206 {
            let range = head.headers.contentRange.flatMap(ContentRange.init)
            // A server may leave out Last-Modified in a 206, never an ETag that it has (RFC 9110, 15.3.7).
            let isSame =
                source?.etag != nil ? now.etag == source?.etag : now.lastModified ?? source?.lastModified == source?.lastModified
            guard let range, range.first == part, isSame else { throw PartRefused() }
            return
        }
        // A first piece may end in the middle of a signature, or of a word.
        let isPage = bytes.count >= MediaSignature.length && MediaSignature(bytes) == .notMedia
        guard !isPage else {
            try file.discard()
            throw FetchFailure(.protocol, status: head.status, detail: BotWall.challenge(head.headers) ?? .webPage)
        }
        try file.begin(now)
    }
}

/// `bytes 500-999/1000` (RFC 9110, 14.4).
struct ContentRange {
    /// nil in the answer 416.
    var first: Int?
    /// nil if the server does not know it.
    var total: Int?

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes", let slash = words[1].firstIndex(of: "/") else { return nil }
        total = Int(words[1][words[1].index(after: slash)...])
        let range = words[1][..<slash]
        if range != "*" {
            guard let first = Int(range.prefix { $0 != "-" }) else { return nil }
            self.first = first
        }
    }
}

public import Domain

public struct DownloadOutcome: Sendable {
    public enum Kind: Sendable {
        case downloaded(DownloadedFile)
        /// The file existed; no request was sent.
        case present(DownloadedFile)
        case failed(FetchFailure)
        /// Not requested: over a limit, or not before a time.
        case skipped(until: Timestamp?)
        /// Another run is downloading it.
        case busy
        /// This machine could not write the file.
        case storageFailed(LocalFailure)
    }

    public var listed: ListedEpisode
    public var kind: Kind

    package init(listed: ListedEpisode, kind: Kind) { (self.listed, self.kind) = (listed, kind) }

    /// True if the server refused the media URL as it would an expired one.
    public var isRefused: Bool {
        if case .failed(let failure) = kind { failure.isOfRefusedMedia } else { false }
    }

    /// The outcome if the feed, read again, names the same URL.
    public var withSameMediaURL: DownloadOutcome {
        guard case .failed(let failure) = kind else { return self }
        return DownloadOutcome(listed: listed, kind: .failed(failure.withSameMediaURL))
    }
}

extension FetchFailure {
    /// True if the server refused the media URL as it would an expired one.
    package var isOfRefusedMedia: Bool { code == .http && [403, 404, 410].contains(status) }

    /// The failure if the feed, read again, names the same URL.
    package var withSameMediaURL: FetchFailure {
        var failure = self
        failure.detail = detail ?? .sameMediaURL
        return failure
    }
}

public struct DownloadSummary: Equatable, Sendable {
    public var downloaded = 0
    public var present = 0
    public var failed = 0
    public var skipped = 0
    public var bytes = 0
    /// Episodes left for a later run by the limit on files.
    public var beyondLimit = 0
    /// The first failure of this machine.
    public var localFailure: LocalFailure?
    public var firstFailure: FetchFailure?
    /// True if the command of the setting `on-download` failed.
    public var hasHookFailed = false

    public init() {}

    /// Takes in a second attempt at files that the first one counted as failed.
    ///
    /// - Parameter unchanged: true if some of them were not tried again, because their URLs are the same.
    public mutating func retried(_ later: DownloadSummary, unchanged: Bool) {
        let tried = later.downloaded + later.present + later.failed + later.skipped
        failed = max(0, failed - tried) + later.failed
        downloaded += later.downloaded
        present += later.present
        skipped += later.skipped
        bytes += later.bytes
        localFailure = localFailure ?? later.localFailure
        if unchanged, let failure = firstFailure, failure.isOfRefusedMedia {
            firstFailure = failure.withSameMediaURL
        }
        if failed == 0 {
            firstFailure = nil
        } else if later.failed > 0, !unchanged {
            firstFailure = later.firstFailure ?? firstFailure
        }
    }

    package mutating func add(_ kind: DownloadOutcome.Kind) {
        if case .failed(let failure) = kind { firstFailure = firstFailure ?? failure }
        switch kind {
        case .downloaded(let file):
            downloaded += 1
            bytes += file.bytes
        case .present: present += 1
        case .failed: failed += 1
        case .skipped, .busy: skipped += 1
        case .storageFailed(let failure):
            failed += 1
            localFailure = localFailure ?? failure
        }
    }
}

/// The progress of one file.
public struct DownloadProgressStep: Sendable {
    public var id: EpisodeID
    public var title: String
    public var bytes: Int
    /// nil if the server does not say.
    public var total: Int?

    package init(_ listed: ListedEpisode, bytes: Int, total: Int?) {
        id = listed.episode.id
        title = listed.episode.item.title ?? listed.episode.id.text
        (self.bytes, self.total) = (bytes, total)
    }
}

/// What a download would fetch, as far as feeds say.
public struct DownloadExtent: Equatable, Sendable {
    public var files = 0
    public var bytes = 0

    private static let maxFiles = 50
    private static let maxBytes = 5_000_000_000

    /// True if the owner should be asked first.
    public var isLarge: Bool { files > Self.maxFiles || bytes > Self.maxBytes }

    package init() {}

    package mutating func add(bytes length: Int) {
        files += 1
        let (sum, isTooLarge) = bytes.addingReportingOverflow(max(0, length))
        bytes = isTooLarge ? .max : sum
    }
}

extension FetchFailure {
    public indirect enum Detail: Equatable, Sendable {
        // A redirect that is not followed.
        case noLocation
        case badLocation
        case fromHTTPSToHTTP
        case tooManyRedirects(limit: Int)
        case redirectLoop
        /// A permanent redirect to a feed that shares no episode with the stored ones.
        case foreignFeed

        // An answer that cannot be used.
        /// 401 although a user and a password were sent.
        case passwordRefused
        /// A service took this program for a robot.
        case botWall(String)
        case notAFeed(NotAFeed)
        case noTranscript
        /// A web page, a message, a picture or a document instead of a media file.
        case webPage
        /// A media file whose size is not the one the server announced.
        case wrongLength
        /// A media file that does not have the checksum given in the feed.
        case wrongDigest
        /// The decoded body has more bytes than allowed.
        case largerThan(bytes: Int)
        case noHead
        /// 304 to a request without validators.
        case unaskedNotModified
        /// Content-Length fields that differ.
        case conflictingLengths
        case unknownEncoding
        case brokenEncoding(String)
        case cutOffEncoding(String)
        /// No library for the encoding is installed.
        case missingDecoder(String)

        // A request that cannot be made, or took too long.
        case notAWebAddress
        /// The feed names no media file for the episode.
        case noMedia
        /// A media URL that the server refuses, and that the feed still names after it was read again.
        case sameMediaURL
        /// An address of this machine or of a local network, for a request that only the public internet may answer.
        case localAddress
        case slowRedirects
        /// A file of this machine that is not a regular file.
        case notAFile
        /// A file of this machine that cannot be read.
        case unreadableFile(errno: Int32)

        // A podcast directory.
        case noDirectoryEntry
        case unreadableDirectory

        /// A message of a library such as libcurl, without user and password.
        case reported(String)
    }
}

extension FetchFailure.Detail {
    /// A stable word for stored records, with its argument if it has one.
    public var fact: String {
        switch self {
        case .notAFeed(let reason): reason.fact
        case .botWall(let name): "botWall:\(name)"
        case .tooManyRedirects(let limit): "tooManyRedirects:\(limit)"
        case .largerThan(let bytes): "largerThan:\(bytes)"
        case .brokenEncoding(let name): "brokenEncoding:\(name)"
        case .cutOffEncoding(let name): "cutOffEncoding:\(name)"
        case .missingDecoder(let name): "missingDecoder:\(name)"
        case .unreadableFile(let errno): "unreadableFile:\(errno)"
        case .reported(let text): text
        case .noLocation, .badLocation, .fromHTTPSToHTTP, .redirectLoop, .foreignFeed, .passwordRefused, .noTranscript, .webPage,
            .wrongLength, .wrongDigest,
            .noHead, .unaskedNotModified, .conflictingLengths, .unknownEncoding, .notAWebAddress, .noMedia, .sameMediaURL,
            .localAddress,
            .slowRedirects, .notAFile, .noDirectoryEntry, .unreadableDirectory:
            "\(self)"
        }
    }

    /// Any other text was reported by a library such as libcurl, or written by another version of jimmy.
    public init(fact: String) {
        self = Self.plain[fact] ?? Self(parts: fact) ?? NotAFeed(fact: fact).map { .notAFeed($0) } ?? .reported(fact)
    }

    private static let plain: [String: FetchFailure.Detail] = {
        let all: [FetchFailure.Detail] = [
            .noLocation, .badLocation, .fromHTTPSToHTTP, .redirectLoop, .foreignFeed, .passwordRefused, .noTranscript, .webPage,
            .wrongLength, .wrongDigest,
            .noHead, .unaskedNotModified, .conflictingLengths, .unknownEncoding, .notAWebAddress, .noMedia, .sameMediaURL,
            .localAddress,
            .slowRedirects, .notAFile, .noDirectoryEntry, .unreadableDirectory,
        ]
        return Dictionary(uniqueKeysWithValues: all.map { ($0.fact, $0) })
    }()

    private init?(parts fact: String) {
        guard let colon = fact.firstIndex(of: ":") else { return nil }
        let argument = String(fact[fact.index(after: colon)...])
        switch fact[..<colon] {
        case "tooManyRedirects": self = .tooManyRedirects(limit: Int(argument) ?? 0)
        case "botWall": self = .botWall(argument)
        case "largerThan": self = .largerThan(bytes: Int(argument) ?? 0)
        case "brokenEncoding": self = .brokenEncoding(argument)
        case "cutOffEncoding": self = .cutOffEncoding(argument)
        case "missingDecoder": self = .missingDecoder(argument)
        case "unreadableFile": self = .unreadableFile(errno: Int32(argument) ?? 0)
        default: return nil
        }
    }
}

import Addresses
public import Domain

extension FetchFailure {
    /// `message` of the command's JSON, and the end of an error line.
    public var words: String {
        if case .notAFeed(let reason) = detail { return reason.words }
        let reason =
            switch code {
            case .dns: "the server's name could not be found"
            case .connect: "no connection to the server"
            case .tls: "the server's certificate or encryption was refused"
            case .timeout: "the server took too long"
            case .tooLarge: "the feed is larger than allowed"
            case .http: httpWords
            case .redirect: "the redirect was refused"
            case .notAFeed: "not a feed"
            case .protocol: "the server returned an unusable answer"
            case .blocked: "the server asked for a pause"
            case .storage: "this machine's disk or system failed"
            case .cancelled: "interrupted"
            }
        if detail == .passwordRefused { return reason }
        // No server was asked.
        if detail == .noMedia || detail == .localAddress, let words = detail?.words { return words }
        guard let words = detail?.words, !words.isEmpty else { return reason }
        return "\(reason) (\(words.oneLine))"
    }

    /// The words for a subscription, with what its owner can do about a refusal.
    func words(of podcast: Podcast) -> String {
        guard code == .http else { return words }
        switch status {
        case 401: return "\(words); 'jimmy edit \(podcast.id) --user NAME' signs in"
        case 403 where detail == nil && PrivateURL.isLikely(podcast.feedURL):
            return "HTTP 403, forbidden: the key in its URL may have expired ('jimmy edit \(podcast.id) --feed-url URL' sets a"
                + " new one), or the server refuses this program ('jimmy edit \(podcast.id) --user-agent NAME' sets another name)"
        default: return words
        }
    }

    /// What helps if a URL that is not subscribed to refuses; nil if `words` say enough.
    func loginAdvice(at url: String) -> String? {
        guard code == .http else { return nil }
        switch status {
        case 401: return "'jimmy subscribe --user NAME URL' signs in"
        case 403 where detail == nil && PrivateURL.isLikely(url):
            return "the key in the URL may have expired; a podcast that you have gets a new URL by 'jimmy edit --feed-url'"
        default: return nil
        }
    }

    private var isBotWall: Bool {
        if case .botWall? = detail { true } else { false }
    }

    private var httpWords: String {
        guard let status else { return "the server refused" }
        let meaning =
            switch status {
            case _ where isBotWall: "the server refuses this program; 'jimmy edit --user-agent' sets another name"
            case 400: "bad request"
            case 401 where detail == .passwordRefused: "wrong user or password"
            case 401: "user and password needed"
            case 402: "payment needed"
            case 403 where detail == .passwordRefused: "forbidden to this user"
            case 403: "the server refuses this program; 'jimmy edit --user-agent' sets another name"
            case 404: "not found"
            case 406: "not acceptable"
            case 410: "gone for good"
            case 429: "too many requests"
            case 451: "not available for legal reasons"
            case 500: "internal server error"
            case 502: "bad gateway"
            case 503: "temporarily unavailable"
            case 504: "gateway timeout"
            default: status < 300 ? "an answer without a feed" : status < 500 ? "refused" : "server error"
            }
        return "HTTP \(status), \(meaning)"
    }
}

extension FetchFailure.Detail {
    /// The words in parentheses after those of the code.
    fileprivate var words: String {
        switch self {
        case .noLocation: "it has no Location"
        case .badLocation: "it leads to something other than a web address"
        case .fromHTTPSToHTTP: "it leads from https to http"
        case .tooManyRedirects(let limit): "more than \(limit) redirects in a row"
        case .redirectLoop: "it leads in a circle"
        case .foreignFeed: "it leads to another podcast's feed"
        case .passwordRefused: "wrong user or password"
        case .botWall(let name): "\(name) takes this program for a robot"
        case .notAFeed(let reason): reason.words
        case .noTranscript: "no transcript"
        case .webPage: "a web page, text or picture, not a media file"
        case .wrongLength: "its size is not the one announced"
        case .wrongDigest: "not the file that the feed describes: its checksum differs"
        case .largerThan(let bytes): "more than \(bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : formattedSize(bytes))"
        case .noHead: "no header"
        case .unaskedNotModified: "'not modified' for an unconditional request"
        case .conflictingLengths: "conflicting Content-Length values"
        case .unknownEncoding: "an unknown content encoding"
        case .brokenEncoding(let name): "damaged \(name) data"
        case .cutOffEncoding(let name): "\(name) data that ends too early"
        case .missingDecoder(let name): "no library for \(name) is installed"
        case .notAWebAddress: "not a web address"
        case .noMedia: "its feed names no media file"
        case .sameMediaURL: "its feed, read again, names no other address"
        case .localAddress: "its address is on this machine or a local network"
        case .slowRedirects: "its redirects took too long"
        case .notAFile: "not a regular file"
        case .unreadableFile(let errno): systemWords(errno)
        case .noDirectoryEntry: "the directory names no feed for this page"
        case .unreadableDirectory: "the directory returned an unreadable answer"
        case .reported(let text): text
        }
    }
}

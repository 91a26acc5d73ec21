/// What remains of a media file's URL if tracking prefixes and expiring tokens are left out: host, path, and the
/// parameters that name the file.
struct MediaAddress: Hashable {
    let text: String
    /// The last part of the path.
    let fileName: String
    var host: Substring { text.prefix { $0 != "/" } }

    init?(_ url: String) {
        let address = url.prefix { $0 != "#" }
        guard let scheme = address.firstRange(of: "://") else { return nil }
        let question = address[scheme.upperBound...].firstIndex(of: "?") ?? address.endIndex
        var parts = address[scheme.upperBound..<question].split(separator: "/").map(String.init)[...]
        guard let host = parts.first else { return nil }
        parts[0] = host.lowercased()
        while let length = TrackingPrefix.length(in: parts) {
            parts = parts.dropFirst(length)
            if let name = parts.first?.lowercased(), ["http:", "https:", "http", "https"].contains(name) { parts.removeFirst() }
        }
        // A prefix that is not listed: the file's own host follows somewhere in the path.
        if let own = parts.dropFirst().dropLast().lastIndex(where: Self.isHost) { parts = parts[own...] }
        guard parts.count > 1, let last = parts.last else { return nil }
        fileName = last
        let isFile =
            last.lastIndex(of: ".").map { Self.mediaExtensions.contains(last[last.index(after: $0)...].lowercased()) } ?? false
        let query = address[question...].dropFirst().split(separator: "&").filter { parameter in
            let name = parameter.prefix { $0 != "=" }.lowercased()
            return isFile ? Self.fileParameters.contains(name) : !Self.isToken(name)
        }
        text = parts.joined(separator: "/") + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }

    /// True if the name has a digit: `ep12.mp3` belongs to one episode, `latest.mp3` may belong to many.
    var isNumbered: Bool {
        fileName[..<(fileName.lastIndex(of: ".") ?? fileName.endIndex)].utf8.contains { (48...57).contains($0) }
    }

    private static let mediaExtensions: Set<String> = [
        "mp3", "m4a", "m4b", "mp4", "m4v", "aac", "ogg", "oga", "ogv", "opus", "flac", "wav", "webm", "mov", "mkv",
    ]
    /// Parameters that name the file although the path does already: `download.mp3?id=7`.
    private static let fileParameters: Set<String> = [
        "id", "guid", "episode", "episodeid", "episode_id", "ep", "e", "file", "filename", "f", "media", "mediaid", "track",
        "item", "name", "n", "p", "number", "src", "url",
    ]

    /// True for parameters that change with every response, such as signatures.
    private static func isToken(_ name: String) -> Bool {
        let tokens: Set = [
            "token", "tk", "auth", "sig", "sign", "signature", "expires", "expire", "exp", "key", "apikey", "api_key", "policy",
            "key-pair-id", "hash", "hmac", "hdnts", "hdnea", "t", "ts", "time", "timestamp", "session", "sid", "nonce", "verify",
        ]
        return tokens.contains(name) || ["x-amz-", "x-goog-", "utm_"].contains { name.hasPrefix($0) }
    }

    /// True for a name with a top-level domain, an IPv4 address, and both with a port.
    private static func isHost(_ part: String) -> Bool {
        let sides = part.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = sides.first, sides.count <= 2, sides.dropFirst().allSatisfy({ Int($0) != nil }) else { return false }
        let labels = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        guard let top = labels.last, labels.count > 1, labels.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isInLabel) })
        else { return false }
        if labels.count == 4, labels.allSatisfy({ UInt8($0) != nil }) { return true }
        let files: Set = ["html", "htm", "php", "asp", "aspx", "jsp", "cgi", "xml", "json"]
        return top.utf8.count > 1 && top.utf8.allSatisfy { $0 > 57 } && !files.contains(String(top))
            && !mediaExtensions.contains(String(top))
    }

    private static func isInLabel(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "-")
    }
}

/// Services that count downloads: a feed puts their address before the URL of each file, mostly without its scheme.
enum TrackingPrefix {
    /// Host and path of each, `*` standing for any part, or for any end of a part. Prefixes may follow each other. The
    /// services are those that the lists of the Open Podcast Analytics Working Group name, and those seen in feeds.
    private static let patterns: [[Substring]] = [
        "a.pdcst.to/*", "adbarker.com/stream/*", "arttrk.com/p/*", "chrt.fm/track/*", "chtbl.com/track/*",
        "claritaspod.com/measure", "clrtpod.com/m", "cohst.app/pdcst/*", "dts.podtrac.com/pts/redirect.*",
        "dts.podtrac.com/redirect.*", "growx.podkite.com/https/*", "media.blubrry.com/*", "mgln.ai/e/*", "mgln.ai/track",
        "op3.dev/e*", "p.podderapp.com/*", "pdcds.co/*", "pdcn.co/e", "pdrl.fm/*", "pdst.fm/e", "play.podtrac.com/*",
        "prefix.up.audio/s", "prfx.byspotify.com/e", "pscrb.fm/rss/p", "t.glystn.com/v*/track/*", "tracking.swap.fm/track/*",
        "verifi.podscribe.com/rss/p", "www.podtrac.com/pts/redirect.*",
    ].map { (pattern: Substring) in pattern.split(separator: "/") }

    /// The number of parts of the URL that belong to a prefix; nil if it begins with none, or if nothing follows.
    static func length(in parts: ArraySlice<String>) -> Int? {
        let matching = patterns.first { pattern in
            parts.count > pattern.count + 1 && zip(pattern, parts).allSatisfy(fits)
        }
        return matching?.count
    }

    private static func fits(_ pattern: Substring, _ part: String) -> Bool {
        pattern.last == "*" ? part.hasPrefix(pattern.dropLast()) : part == pattern
    }
}

/// What a user can decide once for all runs: a line `name = value` of the settings file, an environment variable, or `--set`.
public enum Setting: String, CaseIterable, Sendable {
    case library, concurrency
    case perHost = "per-host"
    case timeout
    case maxSize = "max-size"
    case userAgent = "user-agent"
    case contact
    case transcripts
    case onNew = "on-new"
    case directory, country
    case podcastIndex = "podcast-index"
    case podcastIndexKey = "podcast-index-key"
    case podcastIndexSecret = "podcast-index-secret"
    case searchLimit = "search-limit"
    case pager, color

    /// `JIMMY_PER_HOST`
    public var variable: String { "JIMMY_" + rawValue.uppercased().replacing("-", with: "_") }

    /// What it decides; a phrase without its full stop.
    public var summary: String {
        switch self {
        case .library: "where the library lives: an absolute path, or one that begins with ~/"
        case .concurrency: "how many feeds a refresh fetches at once"
        case .perHost: "how many of them on one host"
        case .timeout: "how many seconds one feed may take"
        case .maxSize: "the largest feed, decoded: 64M, 1G or a number of bytes"
        case .userAgent: "what jimmy calls itself to servers"
        case .contact: "a URL or an e-mail address that servers see in the User-Agent, so that they can reach you"
        case .transcripts: "whether a refresh fetches transcripts, so that search finds what was said: off or all"
        case .onNew: "a shell command that gets the new episodes of a refresh as JSON Lines"
        case .directory: "the endpoint of 'jimmy discover', if not Apple's search API"
        case .podcastIndex: "the endpoint of Podcast Index, which 'jimmy discover' asks as well if there is a key"
        case .podcastIndexKey: "your key of Podcast Index; everybody gets one at https://api.podcastindex.org"
        case .podcastIndexSecret: "the secret that belongs to the key; never shown"
        case .country: "the store in which 'jimmy discover' searches, such as DE"
        case .searchLimit: "how many matches 'jimmy search' shows"
        case .pager: "what shows long results on a terminal; 'off' for none"
        case .color: "when results are coloured: auto (on a terminal), always or never"
        }
    }

    /// No output and no message shows its value.
    public var isSecret: Bool { self == .podcastIndexSecret }

    /// What a value must be, for messages: `a whole number from 1 to 10000`.
    public var form: String {
        switch self {
        case .library: "an absolute path, or one that begins with ~/"
        case .concurrency, .perHost: "a whole number from 1 to 10000"
        case .timeout: "a number of seconds from above 0 to 86400"
        case .maxSize: "a number of bytes such as 64M"
        case .userAgent, .podcastIndexKey, .podcastIndexSecret: "some text on one line"
        case .contact: "an http or https URL, or an e-mail address"
        case .transcripts: "off or all"
        case .onNew, .pager: "a shell command"
        case .directory, .podcastIndex: "an http or https URL"
        case .country: "a country code of two letters"
        case .searchLimit: "a whole number, 0 or more"
        case .color: "auto, always or never"
        }
    }
}

/// Where a value comes from; each wins over those below it.
public enum SettingOrigin: Hashable, Sendable {
    case option(name: String)
    case environment(variable: String)
    case file(path: String, line: Int)
    case `default`
}

/// A setting that cannot be used.
public enum SettingsFailure: Error, Sendable {
    case unknown(name: String, SettingOrigin)
    case badValue(Setting, text: String, SettingOrigin)
    /// A line that is no `name = value`.
    case noSetting(SettingOrigin)
}

import Domain

/// A user's choice for all runs: a line `name = value` of the settings file, an environment variable, or `--set`.
public enum Setting: String, CaseIterable, Sendable {
    case library, concurrency
    case perHost = "per-host"
    case timeout
    case lease, patience, poll, follow
    case maxSize = "max-size"
    case userAgent = "user-agent"
    case contact
    case transcripts, chapters
    case transcriber, transcribers
    case transcriberPiece = "transcriber-piece"
    case transcriberNice = "transcriber-nice"
    case transcribe
    case onNew = "on-new"
    case onDownload = "on-download"
    case newOnSubscribe = "new-on-subscribe"
    case downloads, name, tags, player
    case playedWithin = "played-within"
    case rewind
    case directory, country
    case podcastIndex = "podcast-index"
    case podcastIndexKey = "podcast-index-key"
    case podcastIndexSecret = "podcast-index-secret"
    case searchLimit = "search-limit"
    case pager, color

    /// `JIMMY_PER_HOST`
    public var variable: String {
        "JIMMY_" + String(decoding: rawValue.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 & ~0x20 }, as: UTF8.self)
    }

    /// What it controls; a phrase without a full stop.
    public var summary: String {
        switch self {
        case .library: "folder of the library: an absolute path, or one starting with ~/"
        case .concurrency: "how many feeds a refresh fetches at once, up to 512"
        case .perHost: "how many of them from one host, up to 512"
        case .timeout: "seconds after which a fetch is given up"
        case .lease: "seconds after which a refresh loses its claims in a database, unless it renews them"
        case .patience: "seconds for which a refresh waits for an unreachable database"
        case .poll: "seconds between two checks of 'jimmy refresh --keep-running' for due podcasts"
        case .follow:
            "whether to keep the search index of a database current all the time: on or off; if unset, only 'jimmy serve' does"
        case .maxSize: "largest feed accepted, after decoding: 64M, 1G or a number of bytes"
        case .userAgent: "User-Agent sent to servers"
        case .contact: "URL or e-mail address sent in the User-Agent, so that server owners can reach you"
        case .transcripts: "transcripts a refresh fetches, so that search finds spoken words: off or all"
        case .chapters: "files of chapters a refresh fetches, for search, show and 'play --chapter': off or all"
        case .transcriber:
            "program that 'jimmy transcribe' starts; {audio}, {language} and {output} stand for a WAV file, en and a file without .vtt"
        case .transcribers: "how many of them run at once"
        case .transcriberPiece: "how much audio it gets at once; shorter pieces need less memory"
        case .transcriberNice: "how much it gives way to other programs, from 0 to 19 as with nice"
        case .transcribe: "episodes to transcribe of podcasts without '--transcribe on': off, new or all"
        case .onNew: "shell command that gets the new episodes of a refresh as JSON Lines"
        case .onDownload: "shell command that gets the downloaded episodes of a run as JSON Lines, with the 'path' of each file"
        case .newOnSubscribe: "how many episodes of a podcast are new when it is first fetched, the newest first"
        case .downloads: "folder of downloaded files: an absolute path, or one starting with ~/"
        case .name: "names of downloaded files, with {podcast}, {title}, {date}, {id}, {season}, {episode}, {guid}, {ext}"
        case .tags: "whether ffmpeg writes title, podcast, date, cover and chapters into downloaded files: on or off"
        case .player: "program that 'jimmy play' starts; {file} and {start} stand for the file and the seconds to begin at"
        case .playedWithin: "an episode counts as played so near to its end, or in its last twentieth if that is shorter"
        case .rewind: "how much 'jimmy play' repeats when it goes on with an episode"
        case .directory: "URL of the search API that 'jimmy discover' asks, if not Apple's"
        case .podcastIndex: "URL of Podcast Index, which 'jimmy discover' asks as well if there is a key"
        case .podcastIndexKey: "your Podcast Index key; get one at https://api.podcastindex.org"
        case .podcastIndexSecret: "the secret that belongs to the key; never shown"
        case .country: "country whose store 'jimmy discover' searches, such as DE"
        case .searchLimit: "how many results 'jimmy search' shows"
        case .pager: "program that shows long output on a terminal; 'off' for none"
        case .color: "when output is coloured: auto (on a terminal), always or never"
        }
    }

    /// True if no output and no message may show the value.
    public var isSecret: Bool { self == .podcastIndexSecret }

    /// What a value must be, for messages: `a whole number from 1 to 512`.
    public var form: String {
        switch self {
        case .name:
            "a relative path with fields: "
                + MediaName.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
        case .library, .downloads: "an absolute path, or one starting with ~/"
        case .concurrency, .perHost: "a whole number from 1 to 512"
        case .timeout: "a number of seconds, more than 0 and at most 86400"
        case .lease, .patience, .poll: "a whole number of seconds, from 1 to 86400"
        case .maxSize: "a number of bytes such as 500k, 64M or 1G"
        case .userAgent, .podcastIndexKey, .podcastIndexSecret: "text on one line"
        case .contact: "an http or https URL, or an e-mail address"
        case .transcripts, .chapters: "off or all"
        case .transcriber: "a program with its arguments, quoted as for a shell, one of them {audio}"
        case .transcribers: "a whole number from 1 to 64"
        case .transcriberPiece: "a span from 10s to 1h"
        case .transcriberNice: "a whole number from 0 to 19"
        case .transcribe: "off, new or all"
        case .follow, .tags: "on or off"
        case .onNew, .onDownload, .pager: "a shell command"
        case .player: "a program with its arguments, quoted as for a shell"
        case .playedWithin, .rewind: "a span such as 5s, 2m or 1m30s"
        case .directory, .podcastIndex: "an http or https URL"
        case .country: "a country code of two letters"
        case .searchLimit, .newOnSubscribe: "a whole number, 0 or more"
        case .color: "auto, always or never"
        }
    }
}

/// The origin of a value. Each takes precedence over those below it.
public enum SettingOrigin: Hashable, Sendable {
    case option(name: String)
    case environment(variable: String)
    case file(path: String, line: Int)
    case `default`
}

/// A setting that cannot be applied.
public enum SettingsFailure: Error, Sendable {
    case unknown(name: String, SettingOrigin)
    case badValue(Setting, text: String, SettingOrigin)
    /// A line that is not of the form `name = value`.
    case noSetting(SettingOrigin)
}

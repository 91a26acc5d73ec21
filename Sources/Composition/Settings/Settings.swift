public import ArgumentParser
public import Domain
import Index
public import Presentation
import Searching
public import UseCases

/// The current settings. Options take precedence over the environment, which takes precedence over the settings file,
/// which takes precedence over the defaults.
public struct Settings: Sendable {
    /// nil for the default folder.
    public private(set) var library: String?
    public private(set) var concurrency = Number<Simultaneous>(32)
    public private(set) var perHost = Number<Simultaneous>(2)
    public private(set) var timeout = Seconds(60)
    /// Seconds for which a claim in a database is valid without renewal.
    public private(set) var lease = Number<WholeSeconds>(60)
    /// Seconds for which a refresh waits for an unreachable database.
    public private(set) var patience = Number<WholeSeconds>(30)
    /// Seconds between two searches for due podcasts in a refresh that keeps running.
    public private(set) var poll = Number<WholeSeconds>(10)
    /// Determines if a program that keeps running keeps the search index of a database current; nil: the server does.
    public private(set) var follow: Switch?
    public private(set) var maxSize = ByteCount(64 << 20)
    /// nil for the program's own.
    public private(set) var ownUserAgent: String?
    public private(set) var contact: Contact?
    /// Determines if a refresh fetches transcripts of podcasts without a setting of their own.
    public private(set) var transcripts = Transcripts.off
    /// The same for chapters.
    public private(set) var chapters = Transcripts.off
    /// The speech recogniser; nil if none is set.
    public private(set) var transcriber: TranscriberCommand?
    private var transcriberText = ""
    /// How many of them run at once.
    public private(set) var transcribers = Number<Recognizers>(1)
    /// Seconds of audio that a recogniser gets at once.
    public private(set) var transcriberPiece = PlaySpan(seconds: AudioPiece.usualLength)
    /// How much they give way to other programs.
    public private(set) var transcriberNice = Number<Niceness>(19)
    /// The episodes to transcribe of podcasts without a setting of their own.
    public private(set) var transcribe = FindUntranscribed.Scope.off
    public private(set) var onNew: String?
    public private(set) var onDownload: String?
    public private(set) var newOnSubscribe = Count(0)
    /// nil for the default folder.
    public private(set) var downloads: String?
    public private(set) var name = MediaName.usual
    /// Determines if tags are written into downloaded files.
    public private(set) var tags = Switch.off
    /// nil: the first of `PlayerCommand.usual` that is installed.
    public private(set) var player: PlayerCommand?
    private var playerText = ""
    /// Seconds before the end from which on an episode counts as played.
    public private(set) var playedWithin = PlaySpan(seconds: 30)
    /// Seconds that are heard again when an episode goes on.
    public private(set) var rewind = PlaySpan(seconds: 5)
    public private(set) var directory: String?
    public private(set) var podcastIndex: String?
    private var indexKey: HeaderText?
    private var indexSecret: HeaderText?
    public private(set) var country: Country?
    public private(set) var searchLimit = Count(20)
    /// nil for `$PAGER`, otherwise less. Empty for no pager.
    public private(set) var pager: String?
    public private(set) var color = ColorChoice.auto

    /// The queries that have names.
    public internal(set) var queries: [String: String] = [:]

    /// Where settings come from, the last one counting. Those that are absent have their defaults.
    private var origins: [(setting: Setting, origin: SettingOrigin)] = []

    /// The defaults.
    public init() {}

    public func origin(of setting: Setting) -> SettingOrigin { origins.last { $0.setting == setting }?.origin ?? .default }

    public enum Transcripts: String, CaseIterable, ExpressibleByArgument, Sendable {
        case off, all
    }

    /// - Throws: `SettingsFailure`.
    public mutating func set(_ setting: Setting, to text: String, from origin: SettingOrigin) throws {
        func value<Value: ExpressibleByArgument>(_ type: Value.Type = Value.self) throws -> Value {
            guard let value = Value(argument: text) else { throw SettingsFailure.badValue(setting, text: text, origin) }
            return value
        }
        switch setting {
        case .library:
            guard let path = Self.path(text, from: origin) else { throw SettingsFailure.badValue(setting, text: text, origin) }
            library = path
        case .concurrency: concurrency = try value()
        case .perHost: perHost = try value()
        case .timeout: timeout = try value()
        case .lease: lease = try value()
        case .patience: patience = try value()
        case .poll: poll = try value()
        case .follow: follow = try value()
        case .maxSize: maxSize = try value()
        case .userAgent: ownUserAgent = try value(HeaderText.self).text
        case .contact: contact = try value()
        case .transcripts: transcripts = try value()
        case .chapters: chapters = try value()
        case .transcriber:
            transcriber = text.isEmpty ? nil : TranscriberCommand(text)
            if transcriber == nil, !text.isEmpty { throw SettingsFailure.badValue(setting, text: text, origin) }
            transcriberText = text
        case .transcribers: transcribers = try value()
        case .transcriberPiece:
            transcriberPiece = try value()
            guard (10...3_600).contains(transcriberPiece.seconds) else {
                throw SettingsFailure.badValue(setting, text: text, origin)
            }
        case .transcriberNice: transcriberNice = try value()
        case .transcribe: transcribe = try value()
        case .onNew: onNew = text.isEmpty ? nil : text
        case .onDownload: onDownload = text.isEmpty ? nil : text
        case .newOnSubscribe: newOnSubscribe = try value()
        case .downloads:
            guard let path = Self.path(text, from: origin) else { throw SettingsFailure.badValue(setting, text: text, origin) }
            downloads = path
        case .name:
            guard MediaName(text) != nil else { throw SettingsFailure.badValue(setting, text: text, origin) }
            name = text
        case .tags: tags = try value()
        case .player:
            player = text.isEmpty ? nil : PlayerCommand(text)
            if player == nil, !text.isEmpty { throw SettingsFailure.badValue(setting, text: text, origin) }
            playerText = text
        case .playedWithin: playedWithin = try value()
        case .rewind: rewind = try value()
        case .directory: directory = try value(Endpoint.self).url
        case .podcastIndex: podcastIndex = try value(Endpoint.self).url
        case .podcastIndexKey: indexKey = try value()
        case .podcastIndexSecret: indexSecret = try value()
        case .country: country = try value()
        case .searchLimit: searchLimit = try value()
        case .pager: pager = text == "off" ? "" : text
        case .color: color = try value()
        }
        origins.append((setting, origin))
    }

    /// A relative path is accepted if it is typed, but not in the settings file.
    private static func path(_ text: String, from origin: SettingOrigin) -> String? {
        if text.hasPrefix("postgresql:") || text.hasPrefix("postgres:") { return text }
        if text.hasPrefix("~/") { return Environment.home + text.dropFirst() }
        if case .file = origin, !text.hasPrefix("/") { return nil }
        return text.isEmpty ? nil : Environment.absolute(text)
    }

    /// A value in the form of the settings file; empty if there is none.
    public func text(of setting: Setting) -> String {
        switch setting {
        case .library: library ?? ""
        case .concurrency: concurrency.defaultValueDescription
        case .perHost: perHost.defaultValueDescription
        case .timeout: timeout.defaultValueDescription
        case .lease: lease.defaultValueDescription
        case .patience: patience.defaultValueDescription
        case .poll: poll.defaultValueDescription
        case .follow: follow?.rawValue ?? ""
        case .maxSize: maxSize.defaultValueDescription
        case .userAgent: ownUserAgent ?? Self.name
        case .contact: contact?.text ?? ""
        case .transcripts: transcripts.rawValue
        case .chapters: chapters.rawValue
        case .transcriber: transcriberText
        case .transcribers: transcribers.defaultValueDescription
        case .transcriberPiece: transcriberPiece.defaultValueDescription
        case .transcriberNice: transcriberNice.defaultValueDescription
        case .transcribe: transcribe.rawValue
        case .onNew: onNew ?? ""
        case .onDownload: onDownload ?? ""
        case .newOnSubscribe: newOnSubscribe.defaultValueDescription
        case .downloads: downloads ?? ""
        case .name: name
        case .tags: tags.rawValue
        case .player: playerText
        case .playedWithin: playedWithin.defaultValueDescription
        case .rewind: rewind.defaultValueDescription
        case .directory: directory ?? ""
        case .podcastIndex: podcastIndex ?? ""
        case .podcastIndexKey: indexKey?.text ?? ""
        case .podcastIndexSecret: indexSecret == nil ? "" : "(set)"
        case .country: country?.code ?? ""
        case .searchLimit: searchLimit.defaultValueDescription
        case .pager: pager.map { $0.isEmpty ? "off" : $0 } ?? ""
        case .color: color.rawValue
        }
    }
}

extension Settings {
    /// The key that signs requests to Podcast Index; nil unless both parts are set.
    public var podcastIndexKey: (key: String, secret: String)? {
        guard let indexKey, let indexSecret else { return nil }
        return (indexKey.text, indexSecret.text)
    }
}

extension Settings {
    private static let name = "jimmy/\(Version.text) (podcast library; Linux)"

    /// The User-Agent: the program, and how to reach its owner (RFC 9110, section 10.1.5).
    public var userAgent: String {
        guard let contact else { return ownUserAgent ?? Self.name }
        return ownUserAgent.map { "\($0) (+\(contact.text))" } ?? "\(Self.name.dropLast()); +\(contact.text))"
    }

    /// The options of a refresh without options of its own.
    public var refreshOptions: RefreshOptions {
        var options = RefreshOptions()
        options.concurrency = concurrency.value
        options.perHost = perHost.value
        options.limits = fetchLimits
        options.transcripts = transcripts == .all
        options.chapters = chapters == .all
        options.newOnSubscribe = newOnSubscribe.value
        options.selector = QuerySelector(expansion: QueryExpansion(named: queries, zone: Timestamp.now.zone))
        return options
    }

    public var fetchLimits: FetchLimits {
        var limits = FetchLimits()
        limits.timeout = timeout.value
        limits.maxBodySize = maxSize.value
        return limits
    }
}

extension FindUntranscribed.Scope: ExpressibleByArgument {}

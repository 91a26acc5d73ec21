/// The command that plays an episode, as the user set it.
///
/// The text is split into words like a shell command, but no shell runs it. `{file}` and `{start}` are replaced inside
/// the words, which are not split again.
public struct PlayerCommand: Equatable, Sendable {
    public let words: [String]

    /// nil if the text has no word or an unclosed quote.
    public init?(_ text: String) {
        guard let words = CommandWords.split(text), !words.isEmpty else { return nil }
        self.words = words
    }

    private init(usual words: String...) { self.words = words }

    /// The players to look for if none is set.
    public static let usual = [
        PlayerCommand(usual: "mpv", "--start={start}", "{file}"),
        PlayerCommand(usual: "vlc", "--play-and-exit", "--start-time={start}", "{file}"),
        PlayerCommand(usual: "ffplay", "-autoexit", "-ss", "{start}", "{file}"),
        PlayerCommand(usual: "mplayer", "-ss", "{start}", "{file}"),
    ]

    /// The players whose options are known.
    public enum Kind: Hashable, Sendable {
        case mpv, vlc, ffplay, mplayer, other
    }

    public var kind: Kind {
        switch words[0].split(separator: "/").last ?? "" {
        case "mpv": .mpv
        case "vlc", "cvlc": .vlc
        case "ffplay": .ffplay
        case "mplayer": .mplayer
        default: .other
        }
    }

    /// True if it can be followed through a socket.
    public var isControlled: Bool { kind == .mpv || kind == .vlc }

    /// True if it can be told where to begin.
    public var takesStart: Bool { namesStart || kind != .other }
    private var namesStart: Bool { words.contains { $0.contains("{start}") } }

    /// - Parameter control: the path of the socket through which the player is followed; nil for none. Only mpv and VLC
    ///   have one.
    public func arguments(_ request: PlayRequest, control: String? = nil) -> [String] {
        let start = Self.text(request.start)
        let words = words[..<1] + options(request, control) + words.dropFirst()
        var named = words.contains { $0.contains("{file}") } ? words : words + ["{file}"]
        // VLC replaces the User-Agent of its options, but not that of a medium, which follows it.
        if kind == .vlc, request.isStreamed, let agent = request.userAgent,
            let file = named.lastIndex(where: { $0.contains("{file}") })
        {
            named.insert(":http-user-agent=" + agent, at: file + 1)
        }
        return named.map { word in
            // The file's name may contain `{start}`, which must stay.
            word.split(separator: "{file}", omittingEmptySubsequences: false)
                .map { $0.replacing("{start}", with: start) }.joined(separator: request.media)
        }
    }

    /// The options that carry out the request; those of the user come behind them and win.
    private func options(_ request: PlayRequest, _ control: String?) -> [String] {
        let agent = request.isStreamed ? request.userAgent : nil
        let speed = request.speed == 1 ? nil : Self.text(request.speed)
        let start = namesStart || request.start == 0 ? nil : Self.text(request.start)
        func joined(_ options: (String, String?)...) -> [String] { options.compactMap { name, value in value.map { name + $0 } } }
        func apart(_ options: (String, String?)...) -> [String] {
            options.flatMap { name, value in value.map { [name, $0] } ?? [] }
        }
        return switch kind {
        case .mpv:
            joined(
                ("--input-ipc-server=", control), ("--start=", start), ("--speed=", speed),
                ("--end=-", request.outro > 0 ? Self.text(request.outro) : nil), ("--user-agent=", agent),
                // Without it, mpv begins at the beginning if the server sends no ranges.
                ("--force-seekable=", request.isStreamed ? "yes" : nil))
        case .vlc:
            (control == nil ? [] : ["--extraintf=oldrc", "--rc-fake-tty"])
                + joined(("--rc-unix=", control), ("--start-time=", start), ("--rate=", speed))
        case .ffplay: apart(("-user_agent", agent), ("-ss", start), ("-af", speed.map { "atempo=" + $0 }))
        case .mplayer: apart(("-user-agent", agent), ("-ss", start), ("-speed", speed))
        case .other: []
        }
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() && number.magnitude < 1e9 ? String(Int(number)) : String(number)
    }
}

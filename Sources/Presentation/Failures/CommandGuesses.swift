/// What people type who know other podcast programs, players and package managers, and the commands that do it here.
enum CommandGuesses {
    /// The commands that answer a guess; nil for a word that nobody is known to type.
    static func answers(_ name: String, in group: String?) -> [String]? {
        let name = name.lowercased()
        let guesses = group.map { groups[$0] ?? [] } ?? commands
        return guesses.first { $0.words.contains(name) }?.answers
    }

    private struct Guess {
        let words: Set<String>
        let answers: [String]

        init(_ words: String, _ answers: String...) {
            (self.words, self.answers) = (Set(words.split(separator: " ").map(String.init)), answers)
        }
    }

    private static let commands = [
        Guess("add", "subscribe", "queue add"),
        Guess("sub follow", "subscribe"),
        Guess("unsub unfollow", "unsubscribe"),
        Guess("remove rm delete del erase uninstall", "unsubscribe", "queue remove", "downloads remove"),
        Guess("update sync reload poll check pull upgrade", "refresh"),
        Guess("fetch", "refresh", "download"),
        Guess("get dl save", "download"),
        Guess("list ls", "podcasts", "episodes"),
        Guess("subscriptions subs feeds shows channels", "podcasts"),
        Guess("new latest recent today unread inbox unseen news", "episodes --new"),
        Guess("find grep query lookup", "search"),
        Guess("info details describe view cat notes shownotes about", "show"),
        Guess("transcript", "show --transcript EPISODE"),
        Guess("chapters", "show EPISODE"),
        Guess("listen start", "play"),
        Guess("resume continue unpause", "play", "edit PODCAST --resume"),
        Guess("pause", "edit PODCAST --pause"),
        Guess("stop", "edit PODCAST --pause", "unsubscribe"),
        Guess("speed skip-intro skip-outro", "edit PODCAST --speed 1.4 --skip-intro 45s --skip-outro 30s"),
        Guess("rename", "edit PODCAST --title TITLE"),
        Guess("move", "queue move", "edit PODCAST --feed-url URL"),
        Guess("login signin auth password", "subscribe --user NAME URL", "edit PODCAST --user NAME"),
        Guess("read heard done finish finished", "played", "seen"),
        Guess("catchup catch-up mark-read markread", "seen"),
        Guess("clear empty", "queue clear", "seen"),
        Guess("skip", "queue next --done", "seen"),
        Guess("like favourite favorite fav heart", "star"),
        Guess("favourites favorites favs starred liked likes", "search is:starred"),
        Guess("bookmark", "mark"),
        Guess("bookmarks", "marks"),
        Guess("tags", "tag"),
        Guess("untag", "tag -TAG EPISODE"),
        Guess("enqueue push", "queue add"),
        Guess("playlist upnext up-next", "queue"),
        Guess("log listened", "history"),
        Guess("browse top explore trending", "discover"),
        Guess("recommend random shuffle", "suggest"),
        Guess("related", "similar"),
        Guess("stats statistics", "chart", "status"),
        Guess("doctor fsck repair", "verify --repair"),
        Guess("settings set options preferences setup", "config"),
        Guess("backup", "library copy", "opml export"),
        Guess("restore migrate", "import"),
        Guess("rollback revert", "undo"),
        Guess("web gui ui server browser", "serve"),
        Guess("daemon watch cron", "help cron"),
        Guess("version", "--version"),
        Guess("cleanup clean prune", "downloads remove"),
    ]

    private static let groups: [String: [Guess]] = [
        "queue": [
            Guess("rm delete del drop", "queue remove"), Guess("ls show view", "queue list"),
            Guess("append push insert enqueue", "queue add"), Guess("pop done skip", "queue next --done"),
            Guess("top first up down sort", "queue move"), Guess("empty purge", "queue clear"), Guess("play start", "play"),
        ],
        "downloads": [Guess("rm delete del clean prune", "downloads remove"), Guess("ls show", "downloads list")],
        "opml": [Guess("save write dump", "opml export"), Guess("load read add", "opml import")],
        "library": [Guess("cp clone backup move migrate", "library copy")],
    ]
}

/// Pages of `jimmy help TOPIC` that belong to no single command.
public enum HelpTopic: String, CaseIterable, Sendable {
    case search
    case cron
    case formats
    case settings
    case exitCodes = "exit-codes"

    public var summary: String {
        switch self {
        case .search: "the query language"
        case .cron: "refreshing by cron or systemd"
        case .formats: "what is printed in pipes and as JSON, and what the library keeps"
        case .settings: "the settings file, environment variables and --set"
        case .exitCodes: "how a run ended"
        }
    }

    public var text: String {
        switch self {
        case .search: Self.searchText
        case .cron: Self.cronText
        case .formats: Self.formatsText
        case .settings: Self.settingsText
        case .exitCodes: Self.exitCodesText
        }
    }

    private static let searchText = """
        SEARCHING

        jimmy search QUERY… looks through titles, descriptions and contents of all episodes, and through the titles
        and people of podcasts. Best matches come first; --sort date puts the newest first.

          night radio            both words
          "night radio"          the phrase, as written
          tea OR coffee          one of the two; OR joins just the words beside it
          (green tea) OR coffee  parentheses join more; AND is understood where nothing stands
          radio -music           without the second word; radio NOT music says the same
          pod*                   words that begin so

        In one field:
          title:storm  podcast:"night radio"  author:smith  person:ada  tag:science  transcript:reactor
          title:(storm OR tide)

        Conditions, alone or with words, also beside OR; a minus in front turns each round:
          after:2024-01-01       published then or later; also 2024, 2024-01, today, yesterday, 7d, 2w, 6m, 1y
          before:2024-06         published earlier
          longer:30m             also 1h30m, 45s, 1:30:00; shorter: likewise
          season:2  type:bonus   type is full, trailer or bonus
          in:queue  is:new       queued; first seen by the last refresh
          has:transcript  has:chapters

        What is said in an episode is found once 'jimmy refresh --transcripts' has fetched its transcript; such a hit begins
        with the time, and 'jimmy show --transcript EPISODE' prints all of it.

        Letter case and accents do not matter: cafe finds Café, strasse finds Straße, mueller finds Müller, livestream
        finds live-stream. Words are found in their other forms too, except in phrases: run finds running. Those of other
        languages than English come last, by the script (книга finds книги) or the language that the podcast says it is
        in. Chinese, Japanese, Korean and Thai are found by any characters that stand together, Chinese in traditional
        and simplified form, kana in both kinds. What is not valid as a query is searched as words; there are no syntax
        errors.

        The shell has a say in quotes, * and parentheses: put the whole query into single quotes.
          jimmy search 'title:"deep sea" after:2024 -trailer'

        Options are listed by 'jimmy search --help'.
        """

    private static let cronText = """
        REFRESHING BY ITSELF

        'jimmy refresh' fetches only what is due: it learns each podcast's rhythm, and heeds what servers ask for. So it
        may run often. A crontab line for every quarter of an hour (crontab -e):

          */15 * * * *  jimmy refresh --quiet >/dev/null

        Errors are mailed by cron; what single feeds did is listed by 'jimmy podcasts --failing' and 'jimmy status'.
        With --strict the exit code is 1 if any feed failed.

        With systemd: scripts/install and the Debian package bring jimmy.service and jimmy.timer. For your own user:

          systemctl --user enable --now jimmy.timer
          systemctl --user list-timers jimmy.timer

        The timer runs while you are logged in; 'loginctl enable-linger' makes it run always.

        Two runs at once do no harm: the second waits five seconds for the first, then exits 75. A run that is killed
        loses nothing that was reported.
        """

    private static let formatsText = """
        WHAT IS PRINTED

        On a terminal: columns that fit, relative dates, your time zone. In a pipe: one record a line, tabs between its
        fields, no heading, dates as 2024-03-01T12:00:00Z; the fields are named by each command's --help.

        With --json lists are JSON Lines, one object a line, and single results one object. Absent values have no key;
        there are no nulls. Dates are UTC; durations and positions are seconds, sizes bytes.

          podcasts   id, title, feedURL, author, episodes, latestEpisodeAt, subscribedAt, lastSuccessAt, nextDueAt,
                     failingSince, error {code, status, message}
          episodes   id, podcastID, podcastTitle, firstSeenAt, changedAt, withdrawn, and all that the feed says:
                     guid, title, description, link, publishedAt, author, enclosures [{url, type, length}], duration, …
          queue      as episodes, in order
          search     as episodes, and score, field, snippet (matches between ‹ and ›), matches [{offset, length}] (in
                     characters of snippet, marks included), start (seconds, in a transcript)
          refresh    type "podcast": id, feedURL, title, outcome, status, added, changed, withdrawn, bytes, milliseconds,
                     error, until; at the end type "summary" with the counts, and where transcripts were due
                     transcripts {added, replaced, unchanged, failed, waiting}
          show       as podcasts or episodes, and keptTranscript {file, url, type, language, fetchedAt, segments};
                     with --transcript a line a segment: start, speaker, text
          discover   title, author, feedURL, episodes, imageURL, link, medium, directory (apple or podcastindex), directoryID
          chart      weeks [{start, episodes, seconds}], podcasts [{id, title, episodes, seconds}], days [{start, fetches,
                     failed}], answers [{id, title, fetches, failed, milliseconds}]
          status     counts, dates and sizes, index (current, stale or unreadable), health [{id, title, health, why, remedy}]
          explain    as podcasts, and health, rule, validators, moves [{at, from, reason}], answers [{at, status, outcome,
                     milliseconds}], …
          config     name, value, from (default, file, environment or option), variable, file, line
          verify     file, line, podcastID, reason, leftover; with --repair damaged, restored, setAside, waiting, lost
          opml       import: outcome (added, known or failed), id, title, feedURL, tags

        THE LIBRARY

        Plain JSON, one file a podcast, in the folder that --library, $JIMMY_LIBRARY or $XDG_DATA_HOME/jimmy names. The
        search index is derived from it and lies in $XDG_CACHE_HOME/jimmy: it may be deleted at any time.
        """

    private static let settingsText = """
        SETTINGS

        Everything works without a settings file. 'jimmy config --init' writes one that names and explains every setting:
        ~/.config/jimmy/config, or $XDG_CONFIG_HOME/jimmy/config. Each line is name = value, without quotes; a comment
        begins with # and has a line of its own:

          # gently, and with transcripts
          concurrency = 8
          transcripts = all
          on-new = jq -r .title | xargs -d '\\n' notify-send 'New episodes'

        What wins, from strong to weak: an option such as --concurrency or --set NAME=VALUE; an environment variable, JIMMY_
        and the name in capitals with _ for -, such as JIMMY_PER_HOST; the file; what is built in. 'jimmy config' shows what
        is in force and where it comes from.

        \(list)

        What holds for one podcast only is set by 'jimmy edit'. Bad certificates are refused always; no setting allows them.

        Other environment variables: NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM, COLUMNS, PAGER, LESS, TZ, and XDG_DATA_HOME,
        XDG_CONFIG_HOME, XDG_CACHE_HOME for where things are.
        """

    /// Every setting with what it decides.
    private static let list = Setting.allCases.map { setting in
        let parts = setting.summary.wrapped(to: 96)
        return ("  " + setting.rawValue.padded(to: 14) + parts[0])
            + parts.dropFirst().map { "\n" + String(repeating: " ", count: 16) + $0 }.joined()
    }.joined(separator: "\n")

    private static let exitCodesText = """
        EXIT CODES

            0  done
            1  done, but something asked for was not found, or --strict and a feed failed
           64  wrong usage, or a name that means several podcasts or episodes
           65  the data is bad: no feed, damaged OPML, damaged library
           66  an input file, or the named podcast or episode, does not exist
           69  the network or the server failed, for everything that was asked
           74  reading or writing the disk failed, or standard output is closed or full
           75  another jimmy is writing this library; try again
           77  permission denied
          130  interrupted (SIGINT); all that was done until then is kept
          143  terminated (SIGTERM); likewise
        """
}

/// Pages of `jimmy help TOPIC` about more than one command.
public enum HelpTopic: String, CaseIterable, Sendable {
    case search
    case tags
    case cron
    case formats
    case settings
    case exitCodes = "exit-codes"

    /// The page, wrapped between words to fit `width` columns, at most 80.
    public func text(width: Int) -> String {
        entries.flatMap { $0.hangingWrapped(to: min(width, 80)) }.joined(separator: "\n")
    }

    /// Paragraphs and list entries, each on one line. In the source, the lines of a paragraph start at the margin, and
    /// the continuation lines of a list entry are indented deeper than the entry.
    private var entries: [String] {
        var entries: [(indent: Int, text: String)] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let indent = line.prefix { $0 == " " }.count
            if let last = entries.last, !line.isEmpty, !last.text.isEmpty,
                indent > last.indent + 2 || indent == 0 && last.indent == 0
            {
                entries[entries.count - 1].text += " " + line.dropFirst(indent)
            } else {
                entries.append((indent, String(line)))
            }
        }
        return entries.map(\.text)
    }

    private var text: String {
        switch self {
        case .search: Self.searchText
        case .tags: Self.tagsText
        case .cron: Self.cronText
        case .formats: Self.formatsText
        case .settings: Self.settingsText
        case .exitCodes: Self.exitCodesText
        }
    }

    private static let searchText = """
        SEARCHING

        'jimmy search QUERY…' searches the titles, descriptions and contents of all
        episodes, and the titles and people of podcasts. Best matches come first;
        '--sort date' puts the newest first, '--sort oldest' the oldest.

          night radio            both words; words side by side mean AND
          "night radio"          the phrase, exactly as written
          tea OR coffee          either word; OR joins only the words next to it
          (green tea) OR coffee  parentheses group words
          radio -music           without the second word; or: radio NOT music
          pod*                   words starting with pod

        In one field:
          title:storm  podcast:"night radio"  author:smith  person:ada
          keyword:science  chapter:interview
          said:"five words"      in transcripts; also transcript:
          title:(storm OR tide)

        Conditions, alone or with words, also next to OR; a leading minus negates
        one:
          after:2024-01-01       published on that day or later; also 2024, 2024-01,
                                 today, yesterday (your days), or a span back from
                                 now: 7d, 2w, 6m, 1y
          before:2024-06         published earlier
          added:1d               first seen by jimmy since then; also a range of days:
                                 added:2024-05-01..2024-05-31, with either end open
          longer:30m             also 1h30m, 45s, 1:30:00; shorter: likewise
          season:2  type:bonus   the type is full, trailer or bonus
          is:new                 by your tags: also is:played, is:starred, is:archived
                                 and is:downloaded; tag:word finds your own words,
                                 on episodes or podcasts; see 'jimmy help tags'.
                                 Words of feeds are keyword:word
          query:commute          a query of yours: jimmy config set query.commute
                                 'is:new shorter:30m'
          is:queued              in the queue
          is:withdrawn           no longer in the feed
          has:transcript         also has:chapters, has:marks
          source:published       transcripts that were fetched; source:home: made here
          mark:word              in the note of a bookmark of yours ('jimmy mark')

        Transcripts and chapters are searched once 'jimmy refresh --transcripts
        --chapters' has fetched them, or 'jimmy transcribe' has made them. A match in
        one of them begins with its time: 'jimmy play ID@TIME' plays it, 'jimmy show
        --transcript EPISODE' prints the whole transcript, and 'jimmy show EPISODE'
        lists the chapters.

        Letter case and accents do not matter: cafe finds Café, strasse finds Straße,
        mueller finds Müller, livestream finds live-stream. Words outside phrases are
        found in their other forms too: run finds running, and книга finds книги.
        Which forms a word has depends on the podcast's language: the one that its
        feed declares, or the one detected from its words ('jimmy show PODCAST' shows
        it). Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese and emoji are
        found by any adjacent characters, Chinese in traditional and simplified form,
        kana in both scripts.

        If nothing matches, transcripts are searched for words that sound alike, since
        recognisers of speech err; a note says so. Passages of transcripts that at
        least three episodes have nearly word for word count as advertising: episodes
        of one podcast, or of several with the same publisher, owner or author. They
        are found last, and 'jimmy show --transcript EPISODE' marks them.

        A search has no syntax errors: invalid parts of a query are searched as words.
        An unknown field or condition is reported on standard error; commands that act
        on the results (tag, export, download, queue add) refuse it.

        Put the whole query into single quotes, so that the shell leaves quotes, * and
        parentheses alone:
          jimmy search 'title:"deep sea" after:2024 -trailer'

        'jimmy search --help' lists the options.
        """

    private static let tagsText = """
        TAGS

        Tags are words that you put on episodes: letters, digits, dots, hyphens and
        underscores, at most 64. 'jimmy tag +word -other EPISODE' adds and removes
        them, 'jimmy tag' lists those in use, 'tag:word' in a query finds them.

        Five tags have a meaning for jimmy:
          new         from the refresh that first saw the episode until you have dealt
                      with it: 'jimmy tag -new', 'jimmy seen', 'jimmy play', 'jimmy
                      queue next --done', +played or +archived. The first fetch of a podcast
                      brings nothing new, unless new-on-subscribe sets a number.
          played      heard; removes new
          starred     worth keeping
          archived    left out of lists and searches, unless you ask for is:archived
                      or --all; removes new
          downloaded  set and removed by jimmy alone

        No refresh, repair, move or changed guid loses a tag. Tags outlive
        unsubscribe: they wait, and return with the podcast. 'jimmy undo' takes back
        'jimmy tag', 'jimmy seen' and 'jimmy play', too.

        'jimmy tag --dump FILE' writes all tags as text, one line per episode, with
        how far you heard it and your bookmarks:
          +played +starred -- https://example.com/feed.xml episode-guid
          position=754/2700 heard=2026-11-20T08:00:00Z -- https://… episode-guid
        'jimmy tag --restore FILE' gives each episode exactly the tags of its line,
        and its position and bookmarks, unless yours are later.
        Lines whose episode is not in the library wait until it appears.
        """

    private static let cronText = """
        REFRESHING AUTOMATICALLY

        'jimmy refresh' fetches only podcasts that are due. It learns how often each
        one publishes and respects what servers ask for, so it may run often. A
        crontab line (crontab -e) that runs it every five minutes:

          */5 * * * *  jimmy refresh --quiet >/dev/null

        cron looks for programs in few folders: if jimmy is not in /usr/bin, give the
        path that 'command -v jimmy' prints. With --quiet, it mails you what needs you,
        once: a feed that has failed for 21 days or answers 410, a login that a server
        refuses, a disk that is full or cannot be written, and damage. Feeds that fail
        now and then are no mail; 'jimmy podcasts --failing' and 'jimmy status' list
        them. With --strict, the exit code is 1 if any feed failed.

        With systemd: scripts/install and the Debian package install jimmy.service and
        jimmy.timer. To enable the timer for your user:

          systemctl --user enable --now jimmy.timer
          systemctl --user list-timers jimmy.timer

        The timer runs while you are logged in; 'loginctl enable-linger' keeps it
        running always. jimmy-transcribe.timer makes transcripts at night; see 'jimmy
        transcribe --help'. Instead of the timer, jimmy-worker.service keeps one refresh
        running, which fetches each feed when it is due.

        Two refreshes at the same time are safe: the second waits up to five seconds,
        then exits 75. If a run is killed, nothing it has reported is lost.
        """

    private static let formatsText = """
        OUTPUT

        On a terminal: columns that fit, relative dates, your time zone. In a pipe: one
        record per line, fields separated by tabs, no heading, dates such as
        2024-03-01T12:00:00Z; each command's --help names its fields.

        With --json, lists are JSON Lines, one object per line; a single result is one
        object. Missing values have no key; there are no nulls. Dates are UTC,
        durations and positions are in seconds, sizes in bytes.

          podcasts   id, title, feedURL, author, episodes, latestEpisodeAt,
                     subscribedAt, tags, lastSuccessAt, nextDueAt, paused, gone,
                     failingSince, error {code, status, message}
          episodes   id, podcastID, podcastTitle, firstSeenAt, changedAt, ownTags (your
                     tags), withdrawn, and the feed's own data: guid, title, description, link,
                     publishedAt, author, enclosures [{url, type, length}], duration,
                     and more
          queue      as episodes, in order
          search     as episodes, and score, field, snippet (matches between ‹ and ›),
                     matches [{offset, length}] (in characters of the snippet, marks
                     included), start (seconds, in a transcript), moments [{start,
                     snippet}] and momentCount if it matches there several times, bySound if it only
                     sounds like the query, alsoIn [{id,
                     podcastID, podcastTitle}] for the same episode in other podcasts;
                     before them a line as podcasts, and type "podcast", for a podcast
                     of that title; with --explain explanation {exactTitle, freshness,
                     terms [{bm25, rarity, matches [{words, factor, fields [{field,
                     count}]}]}]}; with --facets a last line of type "facets": podcast,
                     year, language [{value, title, count}]
          similar    as episodes, and score, reason, terms
          suggest    as episodes, and score, reason
          refresh    type "podcast": id, feedURL, title, outcome, status, added,
                     changed, withdrawn, bytes, milliseconds, timings (milliseconds by
                     stage), error, until; last a line of type "summary" with the counts,
                     time (milliseconds by stage), processor {fetching, parsing
                     (and comparing), storing, indexing} in milliseconds, slowest
                     [{id, title, milliseconds}], and transcripts {added, replaced,
                     unchanged, failed, waiting} and chapters (the same) if
                     any were due; with --archive before it a line of type "archive":
                     id, feedURL, title, pages, added, changed, complete, error; with
                     --download lines of files as of download
          show       as podcasts, and searchLanguage; as episodes, and keptTranscript
                     {file, source (published or a program), url, type, language,
                     fetchedAt, segments, speed, missingPieces, timesMayBeOff} and
                     keptChapters
                     [{start, title}]; with
                     --transcript a line for each segment: start, speaker, text, ad
          tag        tag, episodes (a count)
          download   type (file), id, path, bytes, outcome (downloaded, present, failed
                     or skipped), error
          downloads  id, path, bytes, missing
          transcribe type (transcript), id, outcome (transcribed, present, offered, silent,
                     failed, skipped or interrupted), segments, source, language, speed
                     (seconds of audio in a second), error
          undo       command, at, podcastIDs, tagged, queued (counts of episodes), changes;
                     redo the same; with --list: number, command, at
          next       as episodes
          marks      as episodes, and seconds, note, markedAt; also in show, as marks;
                     mark --json prints the one that was set
          history    as episodes, and heardAt, seconds (of the episode, that were heard)
          discover   title, author, feedURL, episodes, imageURL, link, medium,
                     directory (apple or podcastindex), directoryID
          chart      weeks [{start, episodes, seconds, heard}], podcasts [{id, title,
                     episodes, seconds, heard}], days [{start, fetches, failed}], answers
                     [{id, title, fetches, failed, milliseconds}]
          status     counts, transcripts (searchable ones), homemadeTranscripts, dates and sizes, index (current, stale or unreadable),
                     health [{id, title, health, why, remedy}]
          explain    as podcasts, and health, rule, validators, moves [{at, from,
                     reason}], answers [{at, status, outcome, milliseconds}], and more
          config     name, value, from (default, file, environment or option),
                     variable, file, line
          verify     file, line, podcastID, reason, leftover; with --repair damaged,
                     restored, merged, setAside, waiting, lost, conflicts
          replay     type "recording": version, program, library, bodies, startedAt,
                     endedAt, milliseconds, fetches, batches, cutOff; then lines of type
                     "fetch": fetch, podcast or episode, outcome, bytes, milliseconds,
                     hops [{url, status, bytes, milliseconds, shared, error}]
          import     outcome (added, known or failed), id, title, feedURL, tags
          opml       import: outcome (added, known or failed), id, title, feedURL,
                     tags

        THE LIBRARY

        Plain JSON, one file for each podcast, in the folder named by --library,
        $JIMMY_LIBRARY or $XDG_DATA_HOME/jimmy. The search index in
        $XDG_CACHE_HOME/jimmy is derived from it and may be deleted at any time.
        """

    private static let settingsText = """
        SETTINGS

        jimmy works without a settings file. 'jimmy config --init' writes one that
        explains every setting: ~/.config/jimmy/config, or $XDG_CONFIG_HOME/jimmy/config.
        Each line is name = value, without quotes; a comment starts with # and has a
        line of its own:

          # fewer fetches at once, and with transcripts
          concurrency = 8
          transcripts = all
          on-new = jq -r '.title // .id' | xargs -r -d '\\n' -n 1 notify-send -- 'New episode'

        'jimmy config set NAME VALUE' changes one setting in the file.

        Precedence, highest first: an option such as --concurrency or --set NAME=VALUE;
        an environment variable, JIMMY_ followed by the name in capitals with _ for -,
        such as JIMMY_PER_HOST; the file; the default. 'jimmy config' shows the
        settings in force and where each comes from.

        \(list)

        Settings for a single podcast are made with 'jimmy edit'. Bad certificates are
        always refused; no setting allows them.

        Other environment variables: NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM, COLUMNS,
        PAGER, LESS, TZ; LC_ALL, LC_CTYPE, LANG (a terminal whose locale is not UTF-8
        gets quotes and arrows in ASCII); and XDG_DATA_HOME, XDG_CONFIG_HOME,
        XDG_CACHE_HOME and XDG_DOWNLOAD_DIR for the folders of jimmy's files.
        """

    private static let list = Setting.allCases.map { setting in
        "  " + setting.rawValue.padded(to: 22) + setting.summary
    }.joined(separator: "\n")

    private static let exitCodesText = """
        EXIT CODES

            0  done
            1  done, but something asked for was not found, or some URLs to subscribe
               to or files to download failed, or a feed did with --strict
           64  wrong usage, or a name that means several podcasts or episodes
           65  bad data: not a feed, a damaged OPML list, a damaged library
           66  no such input file, podcast, episode or library
           69  the network or the server failed, for everything that was asked
           74  reading or writing the disk failed, or standard output is closed or
               full
           75  another jimmy is writing or refreshing this library; try again
           77  permission denied
          130  interrupted (SIGINT), or nothing was chosen; everything done until then
               is stored
          143  terminated (SIGTERM); likewise
        """
}

extension String {
    /// Lines of at most `width` columns, broken between words. Continuation lines are indented as deep as the second
    /// column, or else the first word; but no deeper than half the width.
    func hangingWrapped(to width: Int) -> [String] {
        guard displayWidth > width, let first = firstIndex(where: { $0 != " " }) else { return [self] }
        let gap = self[first...].firstRange(of: "  ")
        let second = gap.flatMap { gap in self[gap.lowerBound...].firstIndex { $0 != " " } } ?? first
        var indent = String(self[..<second]).displayWidth
        let fits = indent <= width / 2
        if !fits { indent = min(String(self[..<first]).displayWidth + 4, width / 2) }
        let blanks = String(repeating: " ", count: indent)
        let body = String(self[second...]).wrapped(to: max(width - indent, 8), breakingWords: false).map { blanks + $0 }
        // A first column that is too wide has a line of its own.
        guard fits else { return [String(self[..<(gap?.lowerBound ?? second)])] + body }
        return [String(self[..<second] + body[0].dropFirst(indent))] + body.dropFirst()
    }
}

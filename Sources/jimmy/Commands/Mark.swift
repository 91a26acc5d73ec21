import ArgumentParser
import Composition
import Domain
import Presentation
import Results
import UseCases

struct MarkCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "mark", _superCommandName: "jimmy",
        abstract: "Set a bookmark in an episode, with a note.",
        discussion: """
            Without EPISODE: in the one played last. Without a time: at your place in it, also while it plays. 'jimmy marks' lists bookmarks, 'mark:word' in a query finds their notes, and \
            'jimmy export markdown' has links that play from there.

              jimmy mark
              jimmy mark "Lighthouse keepers" 12:34 "the keeper's song"
              jimmy mark --note "look this up"
              jimmy mark --remove "Lighthouse keepers" 12:34
            """)

    @Argument(
        help: ArgumentHelp(
            "An id or its beginning, words of the title, PODCAST/WORDS, or a podcast; then a time such as 12:34, and a note.",
            valueName: "episode|time|note"),
        completion: Completions.anything)
    var words: [String] = []

    @Option(help: ArgumentHelp("The note, instead of words after the time.", valueName: "text"))
    var note: String?

    @Flag(help: "Remove the bookmark at this time; without a time, all bookmarks of the episode.")
    var remove = false

    @OptionGroup var options: GlobalOptions

    /// The arguments, told apart.
    private struct Parts {
        var episode: String?
        var seconds: Int?
        var note: String
        /// True if the note begins with what looks like a time and is none.
        var isTimeBad = false

        /// The first word is a time only if it has a colon, because ids and titles may be numbers.
        init(_ words: [String]) {
            var words = words[...]
            if let first = words.first, !first.contains(":") || PlayTime.parse(first) == nil {
                episode = first
                words.removeFirst()
            }
            if let first = words.first {
                seconds = PlayTime.parse(first).map { Int($0) }
                let isTime = first.contains(":") && first.contains(where: \.isNumber)
                isTimeBad = seconds == nil && isTime && first.allSatisfy { $0 == ":" || $0 == "." || $0.isNumber }
                if seconds != nil { words.removeFirst() }
            }
            note = words.joined(separator: " ")
        }
    }

    func validate() throws {
        let parts = Parts(words)
        if parts.isTimeBad, let time = parts.note.split(separator: " ").first {
            throw ValidationError("'\(time)' is not a time such as 12:34 or 1:02:03; a note goes after a time, or into --note")
        }
        if !parts.note.isEmpty, note != nil { throw ValidationError("Give the note once") }
        if remove, !parts.note.isEmpty || note != nil { throw ValidationError("--remove takes an episode and a time, no note") }
        if remove, parts.episode == nil, parts.seconds == nil {
            throw ValidationError("Missing expected argument '<episode>'")
        }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        let parts = Parts(words)
        let text = note ?? parts.note
        guard text.count <= Bookmark.maxNote else { throw BookmarkWording.noteTooLong }
        let library = try await context.composition.open(.write)
        let listed = try await episode(parts.episode, library, context)
        let id = listed.episode.id
        if remove {
            let removed = try await library.bookmarks.remove(of: id, at: parts.seconds, now: context.now)
            guard !removed.isEmpty else { throw BookmarkWording.noBookmark(at: parts.seconds, in: listed.episode) }
            context.console.note(BookmarkWording.removed(removed.count, of: listed.episode))
            return .done
        }
        var seconds = parts.seconds
        if seconds == nil { seconds = try await library.bookmarks.place(in: listed, now: context.now) }
        guard let seconds else { throw BookmarkWording.notBegun(listed.episode) }
        let bookmark = Bookmark(episodeID: id, seconds: seconds, note: text, at: context.now)
        let replaced = try await library.bookmarks.set(bookmark, now: context.now)
        if options.json {
            context.console.show(BookmarkListView([MarkedEpisode(listed, bookmark)]))
        } else {
            context.console.note(BookmarkWording.set(bookmark, in: listed.episode))
        }
        if let replaced, !replaced.note.isEmpty, replaced.note != text {
            context.console.note(BookmarkWording.replaced(replaced))
        }
        return .done
    }

    private func episode(_ name: String?, _ library: OpenLibrary, _ context: Context) async throws -> ListedEpisode {
        guard let name else {
            guard let last = try await library.bookmarks.lastHeard() else { throw BookmarkWording.nothingHeard }
            return last
        }
        guard let episode = try await PlayChoice.episode(name, picks: false, library, context) else {
            throw LookupFailure.noSuchEpisode(name)
        }
        guard let listed = try await library.listEpisodes.listed([episode.id]).first else {
            throw FailureLine.unsubscribed(episode.id)
        }
        return listed
    }
}

struct Marks: Command {
    static let configuration = CommandConfiguration(
        commandName: "marks", _superCommandName: "jimmy",
        abstract: "List your bookmarks, the latest first.",
        discussion: """
            'jimmy mark' sets one. In a pipe: episode id, podcast, title, time, note, separated by tabs.

              jimmy marks
              jimmy marks "Lighthouse keepers"
            """)

    @Argument(
        help: ArgumentHelp("Only those of these episodes or podcasts.", valueName: "podcast|episode"),
        completion: Completions.anything)
    var names: [String] = []

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.read)
        var (episodes, podcasts) = (Set<EpisodeID>(), Set<PodcastID>())
        for named in names.isEmpty ? [] : try await library.find.named(names, context) {
            switch named {
            case .episode(let id): episodes.insert(id)
            case .podcast(let podcast): podcasts.insert(podcast.id)
            }
        }
        let marked = try await library.bookmarks.list { id in
            names.isEmpty || episodes.contains(id) || podcasts.contains(id.podcastID)
        }
        try await context.console.show(BookmarkListView(marked), library.shorten)
        if marked.isEmpty { context.console.note(BookmarkListView.nothing) }
        return .done
    }
}

public import Domain
import Glibc

/// Wording of `play`.
public enum PlayWording {
    public static let nothingToPlay =
        "Nothing is queued or begun; 'jimmy play EPISODE' plays one, 'jimmy episodes --new' lists what is new."

    public static func allHeard(_ podcast: Podcast) -> String { "Every episode of \(podcast.displayTitle.oneLine) is heard." }

    public static func stopped(at seconds: Double, of duration: Double?, _ episode: Episode, isNext: Bool) -> String {
        let length = duration.map { " of \(formattedDuration($0))" } ?? ""
        return "Stopped at \(formattedDuration(seconds))\(length); 'jimmy play\(isNext ? "" : " \(episode.id)")' continues."
    }

    public static let startIgnored = "The setting player has no {start}; playing from the beginning."

    public static let noPlayer = FailureLine(
        "play", "no player is installed", status: .notFound,
        advice: "install mpv, vlc, ffplay or mplayer, or set another with 'jimmy config set player COMMAND'")

    public static func failure(_ failure: PlayFailure, of episode: Episode) -> FailureLine {
        let id = episode.id.text
        switch failure {
        case .noMedia: return FailureLine(id, "its feed has no media file", status: .incomplete)
        case .noTranscript(let isOffered):
            return FailureLine(
                id, isOffered ? "its transcript is not fetched yet" : "its feed offers no transcript", status: .incomplete,
                advice: isOffered ? "'jimmy refresh --transcripts \(episode.podcastID)' fetches it" : nil)
        case .textNotFound(let text): return FailureLine(text, "not found in the transcript", status: .incomplete)
        case .noChapter(let number, _, isOffered: true):
            return FailureLine(
                "chapter \(number)", "the chapters of the episode are not fetched yet", status: .incomplete,
                advice: "'jimmy refresh --chapters \(episode.podcastID)' fetches them")
        case .noChapter(let number, let count, _):
            return FailureLine(
                "chapter \(number)", "the episode has \(count == 0 ? "no chapters" : counted(count, "chapter"))",
                status: .incomplete)
        }
    }

    /// - Parameter hasPlayed: true if something was heard before.
    public static func failed(_ player: PlayerCommand, status: Int32, hasPlayed: Bool) -> FailureLine {
        let exit = status == 0 ? "played nothing" : "exited with \(status)"
        return FailureLine(player.words[0], exit + (hasPlayed ? "" : "; nothing changed"), status: .incomplete)
    }

    public static func notStarted(_ player: PlayerCommand, errno: Int32) -> FailureLine {
        FailureLine(
            player.words[0], errno == ENOENT ? "no such program" : systemWords(errno),
            status: errno == ENOENT ? .notFound : .noPermission,
            advice: "'jimmy config set player COMMAND' sets one that is installed")
    }
}

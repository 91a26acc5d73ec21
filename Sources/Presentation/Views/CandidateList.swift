public import Domain

/// Episodes to choose from: short id, podcast, date, season and number, title.
public enum CandidateList {
    /// - Parameter isNumbered: true if a number is the answer.
    public static func lines(of candidates: EpisodeCandidates, isNumbered: Bool = false) -> [String] {
        let lines = candidates.shown.enumerated().map { index, listed in
            (isNumbered ? "\(index + 1)  " : "") + candidates.shortIDs.text(listed.episode.id) + "  " + line(listed)
        }
        let omitted = candidates.total - candidates.shown.count
        return lines + (omitted > 0 ? ["and \(grouped(omitted)) more"] : [])
    }

    /// What the list shows of an episode besides its id. Facts that the feed does not have are left out.
    public static func line(_ listed: ListedEpisode) -> String {
        let item = listed.episode.item
        return [
            listed.podcast.displayTitle, item.publishedAt.map { String($0.description.prefix(10)) }, item.numbering,
            item.title ?? "(no title)",
        ].compactMap { $0?.oneLine }.joined(separator: "  ")
    }
}

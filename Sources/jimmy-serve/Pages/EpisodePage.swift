import Addresses
import Composition
import Domain
import Hummingbird
import Presentation
import Results
import UseCases

/// An episode's page: notes, chapters, people, transcript, history, and similar episodes.
struct EpisodePage {
    let site: Site

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let (library, id) = (site.reader, try context.episodeID())
        guard let listed = try await library.listEpisodes.listed([id]).first else { throw HTTPError(.notFound) }
        let rows = try await EpisodeRows(library, now: context.time)
        let (episode, item) = (listed.episode, listed.episode.item)
        let here = "/episodes/\(id.text)"
        var values = rows.values(of: listed, back: here)
        values["notes"] = (item.content ?? item.description ?? item.summary ?? item.subtitle).map(SafeHTML.of)
        values["startAt"] = request.query["at"].flatMap { Double($0) }.flatMap { (0...1e6).contains($0) ? String($0) : nil }
        values["link"] = item.link.flatMap { WebURL($0) }?.text
        values["coverVersion"] = listed.podcast.contentRevision
        values["published"] = item.publishedAt?.localDateAndTime
        values["number"] = number(of: item)
        values["media"] = item.chosenEnclosure.map { enclosure in
            [enclosure.type, enclosure.length.map { formattedSize($0) }].compactMap(\.self).joined(separator: ", ")
        }
        values["people"] = item.persons.compactMap { person -> Values? in
            person.name.map { ["name": $0.oneLine, "role": person.role?.oneLine ?? ""] }
        }
        values["hasPeople"] = item.persons.contains { $0.name != nil }
        let chapters = try await library.chapters(of: episode)
        values["chapters"] = chapters.map { mark($0.start, $0.title, id) }
        values["hasChapters"] = !chapters.isEmpty
        values["soundbites"] = item.extras.soundbites.map { mark($0.start ?? 0, $0.title ?? item.title ?? "", id) }
        values["hasSoundbites"] = !item.extras.soundbites.isEmpty
        let marks = try await library.bookmarks(of: id)
        values["marks"] = marks.map { bookmark -> Values in
            ["id": id.text, "start": bookmark.seconds, "at": formattedDuration(Double(bookmark.seconds)), "note": bookmark.note]
        }
        values["hasMarks"] = !marks.isEmpty
        values["ownTags"] = listed.tags.sorted().map(\.text).filter { !Self.shownTags.contains($0) }.map {
            ["id": id.text, "tag": $0, "path": "/search?q=" + Form.encoded("tag:" + $0)] as Values
        }
        values["isDownloading"] = await site.downloads.isRunning(id)
        values["downloadFailure"] = await site.downloads.failure(of: id)
        values["history"] = episode.history.map { edit -> Values in
            ["at": edit.at.localDateAndTime, "what": words(of: edit), "former": edit.formerTitle?.oneLine ?? ""]
        }
        values["hasHistory"] = !episode.history.isEmpty
        if let transcript = try await library.transcripts.transcript(of: id) {
            values["transcript"] = transcript.segments.map { segment in spokenValues(segment, id) }
            values["hasTranscript"] = true
        } else if let progress = site.transcriptProgress(of: id) {
            values["transcribing"] = progress
        } else if site.canTranscribe, item.chosenEnclosure != nil, item.transcripts.isEmpty {
            values["canTranscribe"] = true
        }
        values["hasSide"] = ["hasChapters", "hasSoundbites", "hasMarks", "hasTranscript"].contains { values[$0] as? Bool == true }
        let similar = (try? await library.findSimilar(episode, of: listed.podcast, limit: 6)) ?? []
        values["similar"] = similar.map { other -> Values in
            var row = rows.values(of: other.listed, back: here)
            row["reason"] = other.terms.prefix(5).joined(separator: ", ")
            return row
        }
        values["hasSimilar"] = !similar.isEmpty
        return site.page("episode", title: item.title?.oneLine ?? "(no title)", values)
    }

    /// Tags that the page shows as a button or a mark.
    private static let shownTags: Set<String> = ["new", "played", "starred", "archived", "downloaded"]

    private func mark(_ start: Double, _ title: String, _ id: EpisodeID) -> Values {
        ["id": id.text, "start": String(Int(bounded: start)), "at": formattedDuration(start), "name": title.oneLine]
    }

    private func spokenValues(_ segment: TranscriptSegment, _ id: EpisodeID) -> Values {
        var values: Values = ["id": id.text, "text": segment.text.oneLine]
        if let speaker = segment.speaker { values["speaker"] = speaker.oneLine }
        if let start = segment.start {
            values["start"] = String((start * 10).rounded() / 10)
            values["at"] = formattedDuration(start)
        }
        return values
    }

    private func number(of item: Item) -> String {
        let season = item.season.flatMap { $0.name ?? $0.number.map { "season \(plain($0))" } }
        let episode = item.episode.flatMap { $0.display ?? $0.number.map { "episode \(plain($0))" } }
        return [season, episode].compactMap { $0?.oneLine }.joined(separator: ", ")
    }

    private func words(of edit: EpisodeEdit) -> String {
        switch edit.kind {
        case .changed: "changed: " + edit.fields.joined(separator: ", ")
        case .withdrawn: "left the feed"
        case .returned: "came back"
        }
    }
}

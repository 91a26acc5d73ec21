public import Domain

/// The facts about an episode that a player needs, on one line of JSON.
public struct PlayableView: View {
    let listed: ListedEpisode
    let position: PlayPosition?
    let chapters: [PlayableChapter]

    public init(_ listed: ListedEpisode, position: PlayPosition?, chapters: [PlayableChapter]) {
        self.listed = listed
        self.position = position
        self.chapters = chapters
    }

    public func lines(for display: Display) -> [String] { [jsonLine(Row(view: self))] }
    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(view: self))) }

    private struct Row: Fields {
        let view: PlayableView

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            let (episode, podcast) = (view.listed.episode, view.listed.podcast)
            visitor.text("id", episode.id.text)
            visitor.text("podcastID", podcast.id.text)
            visitor.text("podcastTitle", podcast.displayTitle.oneLine)
            visitor.text("title", episode.item.title?.oneLine ?? "(no title)")
            visitor.number("duration", view.position?.duration ?? episode.item.duration)
            visitor.number("position", view.position?.seconds)
            visitor.number("speed", podcast.settings.speed)
            visitor.number("skipIntro", podcast.settings.skipIntro)
            visitor.number("skipOutro", podcast.settings.skipOutro)
            visitor.objects("chapters", view.chapters.map(Mark.init))
        }
    }

    private struct Mark: Fields {
        let chapter: PlayableChapter

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.number("start", chapter.start)
            visitor.text("title", chapter.title.oneLine)
        }
    }
}

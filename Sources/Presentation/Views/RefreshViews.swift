public import Domain
import JSON
import Scheduling

/// The result for one podcast; podcasts without changes have no line.
///
/// In a pipe: outcome, id, title, added, changed, withdrawn, and the error.
public struct RefreshOutcomeView: View {
    let outcome: RefreshOutcome

    public init(_ outcome: RefreshOutcome) { self.outcome = outcome }

    /// Only the note on a skipped podcast contains its id.
    public var podcastIDs: [PodcastID] { outcome.kind == .skipped ? [outcome.podcast.id] : [] }
    public var episodeIDs: [EpisodeID] { outcome.added.prefix(Self.shownEpisodes).map(\.id) }

    private static let shownEpisodes = 3

    public func lines(for display: Display) -> [String] {
        guard display.isTerminal else { return plainLines }
        return terminalLines(display).flatMap(display.fitted)
    }

    private func terminalLines(_ display: Display) -> [String] {
        let title = outcome.podcast.displayTitle.oneLine
        switch outcome.kind {
        case .updated, .moved:
            var lines = outcome.kind == .moved ? ["\(display.styled(title, .bold)) moved to \(outcome.podcast.feedURL)"] : []
            if outcome.added.isEmpty {
                let parts = [(outcome.changed, "changed"), (outcome.withdrawn, "withdrawn")].filter { $0.0 > 0 }
                let what = parts.isEmpty ? "updated" : parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
                if outcome.kind == .updated { lines.append("\(display.styled(title, .bold))  \(what)") }
            } else {
                // The first fetch brings a whole catalogue, with few or no new episodes.
                let new = display.styled("\(grouped(outcome.new.count)) new", .new)
                let count = outcome.new.isEmpty ? counted(outcome.added.count, "episode") : new
                lines.append("\(display.styled(title, .bold))  \(count)")
                let shown = outcome.added.prefix(Self.shownEpisodes)
                for episode in shown {
                    lines.append(
                        "  \(display.styled(display.shown(episode.id), .dim))  \((episode.item.title ?? "(no title)").oneLine)")
                }
                let remaining = outcome.added.count - shown.count
                if remaining > 0 { lines.append("  and \(remaining) more") }
            }
            return lines
        case .gone:
            return ["\(display.styled(title, .failed))  gone for good (HTTP 410)"]
        case .failed:
            return ["\(display.styled(title, .failed))  \(outcome.failure?.words(of: outcome.podcast) ?? "failed")"]
        case .unchanged, .notModified, .skipped:
            return []
        }
    }

    /// Why a podcast that the user named was not fetched.
    public func note(isNamed: Bool, for display: Display) -> String? {
        guard isNamed, outcome.kind == .skipped else { return nil }
        let (podcast, title) = (outcome.podcast, outcome.podcast.displayTitle.oneLine)
        let id = display.shown(podcast.id)
        let force = "'jimmy refresh --force \(id)' fetches it anyway."
        switch outcome.skipReason {
        case .paused: return "\(title): skipped; you paused it. 'jimmy edit \(id) --resume' ends the pause, \(force)"
        case .gone: return "\(title): skipped; its server answered 410, gone. \(force)"
        case .notYet:
            let until = outcome.until.map { " until \(display.date($0))" } ?? ""
            return "\(title): skipped; its server asked for a pause\(until). \(force)"
        }
    }

    /// What needs the owner, in the run that finds out; nil for failures that pass, and for those reported before.
    public var alert: FailureLine? {
        let (podcast, title) = (outcome.podcast, outcome.podcast.displayTitle)
        guard let failure = outcome.failure, outcome.kind == .failed || outcome.kind == .gone else { return nil }
        let answers = podcast.fetch.answers
        let (now, before) = (answers.first?.at, answers.dropFirst().first?.at)
        if outcome.kind == .gone {
            return FailureLine(title, failure.words, status: .unavailable, advice: "'jimmy unsubscribe \(podcast.id)' removes it")
        }
        guard let now else { return nil }
        switch Health(of: podcast, now: now) {
        case .needsPassword where podcast.fetch.failure?.count == 1:
            return FailureLine(
                title, failure.words, status: .unavailable, advice: "'jimmy edit \(podcast.id) --user NAME' signs in")
        case .dead where before.map { Health(of: podcast, now: $0) != .dead } ?? true:
            return FailureLine(
                title, "failing for \(span(Health.deadAfter)): \(failure.words)", status: .unavailable,
                advice: "'jimmy explain \(podcast.id)' shows more")
        default: return nil
        }
    }

    private var plainLines: [String] {
        switch outcome.kind {
        case .unchanged, .notModified, .skipped: []
        case .updated, .moved, .gone, .failed:
            [
                [
                    outcome.kind.rawValue, outcome.podcast.id.text, outcome.podcast.displayTitle.oneLine,
                    String(outcome.added.count), String(outcome.changed), String(outcome.withdrawn),
                    outcome.failure?.words(of: outcome.podcast) ?? "",
                ].joined(separator: "\t")
            ]
        }
    }

    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(outcome: outcome))) }

    private struct Row: Fields {
        let outcome: RefreshOutcome

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("type", "podcast")
            visitor.text("id", outcome.podcast.id.text)
            visitor.text("feedURL", outcome.podcast.feedURL)
            visitor.text("title", outcome.podcast.displayTitle)
            visitor.text("outcome", outcome.kind.rawValue)
            visitor.integer("status", outcome.status)
            switch outcome.kind {
            case .skipped:
                visitor.time("until", outcome.until)
            case .failed, .gone:
                visitor.object("error", outcome.failure.map(ErrorFields.init))
                visitor.integer("milliseconds", outcome.milliseconds)
            default:
                visitor.text("movedFrom", outcome.movedFrom)
                visitor.integer("added", outcome.added.count)
                visitor.integer("changed", outcome.changed)
                visitor.integer("withdrawn", outcome.withdrawn)
                visitor.integer("bytes", outcome.bytes)
                visitor.integer("milliseconds", outcome.milliseconds)
            }
            if outcome.kind != .skipped { visitor.object("timings", outcome.timings.map { TimingFields(timings: $0) }) }
        }
    }
}

/// Milliseconds with two decimals.
func inMilliseconds(_ nanoseconds: Int) -> Double { Double(nanoseconds / 10_000) / 100 }

/// Milliseconds of each step that took any time.
struct TimingFields: Fields {
    let timings: RunTimings

    func visit<V: FieldVisitor>(_ visitor: inout V) {
        func milliseconds(_ stage: RunStage) -> Double? {
            timings[stage] > 0 ? inMilliseconds(timings[stage]) : nil
        }
        visitor.number("wait", milliseconds(.wait))
        visitor.number("lookUp", milliseconds(.lookUp))
        visitor.number("connect", milliseconds(.connect))
        visitor.number("tls", milliseconds(.tls))
        visitor.number("firstByte", milliseconds(.firstByte))
        visitor.number("body", milliseconds(.body))
        visitor.number("parse", milliseconds(.parse))
        visitor.number("compare", milliseconds(.compare))
        visitor.number("commit", milliseconds(.commit))
        visitor.number("index", milliseconds(.index))
    }
}

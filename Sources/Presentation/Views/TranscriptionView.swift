public import Domain
import Glibc
public import Results

/// What became of one episode that was to be transcribed.
public struct TranscriptionView: View {
    let outcome: TranscriptionOutcome

    public init(_ outcome: TranscriptionOutcome) { self.outcome = outcome }

    private var word: String {
        switch outcome.kind {
        case .transcribed: "transcribed"
        case .present: "present"
        case .offered: "offered"
        case .silent: "silent"
        case .failed, .storageFailed: "failed"
        case .waiting, .busy: "skipped"
        case .interrupted: "interrupted"
        }
    }

    private var source: TranscriptSource? {
        switch outcome.kind {
        case .transcribed(let source, _), .present(let source): source
        default: nil
        }
    }

    private func why(_ date: (Timestamp) -> String = \.description) -> String? {
        switch outcome.kind {
        case .transcribed(_, missing: 0), .present: nil
        case .transcribed(_, let missing): "the recogniser failed on \(counted(missing, "piece")), which are tried again later"
        case .offered: "its feed offers a transcript: 'jimmy refresh --transcripts \(outcome.listed.podcast.id)' fetches it"
        case .silent: "nobody speaks in it"
        case .failed(let failure): TranscribeWording.words(failure, date)
        case .storageFailed(let failure): FailureLine(failure, doing: "transcribe").why
        case .waiting(let until): "failed before; not before \(date(until))"
        case .busy: "another jimmy is transcribing it"
        case .interrupted(let left): left > 0 ? "\(counted(left, "piece")) left for the next run" : "continued by the next run"
        }
    }

    public func lines(for display: Display) -> [String] {
        let id = outcome.listed.episode.id.text
        guard display.isTerminal else {
            return [
                [word, id, why() ?? source.map { String($0.segments) } ?? ""].map(\.oneLine).joined(separator: "\t")
            ]
        }
        let title = (outcome.listed.episode.item.title ?? id).oneLine
        let facts = source.map { source in
            let speed = source.making?.speed.map { ", \($0) times as fast as it is spoken" } ?? ""
            return counted(source.segments, "segment") + speed
        }
        let end = [facts, why(display.date)].compactMap { $0 }.joined(separator: "; ")
        return display.fitted("\(word)  \(title)  \(end.oneLine)")
    }

    public func jsonLines(_ emit: (String) -> Void) {
        emit(jsonLine(Row(id: outcome.listed.episode.id.text, word: word, source: source, why: why())))
    }

    private struct Row: Fields {
        let id: String
        let word: String
        let source: TranscriptSource?
        let why: String?

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("type", "transcript")
            visitor.text("id", id)
            visitor.text("outcome", word)
            visitor.integer("segments", source?.segments)
            visitor.text("source", source.map(\.name))
            visitor.text("language", source?.language)
            visitor.number("speed", source?.making?.speed)
            visitor.text("error", why)
        }
    }
}

extension TranscriptSource {
    /// `published`, or the name of the program that made it.
    var name: String { making?.program ?? "published" }
}

/// Other wording of `transcribe`.
public enum TranscribeWording {
    public static let nothing =
        "Nothing to transcribe; 'jimmy edit PODCAST --transcribe on' turns a podcast on, 'jimmy transcribe EPISODE' names one."

    public static func failure(_ failure: TranscriberFailure) -> FailureLine {
        switch failure {
        case .notSet:
            return FailureLine(
                "transcriber", "no speech recogniser is set", status: .notFound,
                advice:
                    "'jimmy config set transcriber \"whisper-cli -m MODEL -l {language} -ovtt -of {output} {audio}\"' sets one; see 'jimmy transcribe --help'"
            )
        case .notStarted("ffmpeg", let errno):
            return FailureLine(
                "ffmpeg", errno == ENOENT ? "not installed; it decodes the audio" : systemWords(errno), status: .notFound,
                advice: "'apt install ffmpeg' installs it")
        case .notStarted(let program, let errno):
            return FailureLine(
                program, errno == ENOENT ? "no such program" : systemWords(errno),
                status: errno == ENOENT ? .notFound : .noPermission,
                advice: "install it, or set another recogniser with 'jimmy config set transcriber COMMAND'")
        case .notAudio(let words):
            return FailureLine("ffmpeg", words ?? "the file has no audio", status: .badData)
        }
    }

    static func words(_ failure: TranscriptionFailure, _ date: (Timestamp) -> String) -> String {
        switch failure {
        case .noMedia: "its feed has no media file"
        case .fetch(let failure): failure.words
        case .paused(let until): "its server asked for a pause; not before \(date(until))"
        case .notAudio(let words): "its file has no audio that ffmpeg can decode" + (words.map { ": \($0)" } ?? "")
        case .recognizer(let failure): Self.words(failure)
        }
    }

    static func words(_ failure: PieceFailure) -> String {
        let words = failure.words.map { ": \($0)" } ?? ""
        switch failure.kind {
        case .failed: return "the recogniser exited with \(failure.status ?? 0)" + words
        case .timedOut: return "the recogniser did not end in ten times the length of the audio" + words
        case .noOutput: return "the recogniser wrote nothing, neither to {output} nor to standard output"
        case .rubbish: return "the recogniser's output is no transcript with times"
        case .tooMuch: return "the recogniser wrote more than any transcript has"
        case .repeated: return "the recogniser made up one line again and again" + words
        }
    }

    /// nil if nothing was tried.
    public static func summary(_ summary: TranscriptionSummary) -> String? {
        let speed = summary.speed.map {
            " (\(span(Int64(summary.audioSeconds))) of audio, \(factor($0)) times as fast as spoken)"
        }
        let parts = [
            (summary.transcribed, "transcribed\(speed ?? "")"), (summary.silent, "without speech"),
            (summary.present, "already had a transcript"), (summary.offered, "have a published transcript to fetch"),
            (summary.failed, "failed"), (summary.skipped, "skipped"), (summary.remaining, "left for the next run"),
        ].filter { $0.0 > 0 }
        return parts.isEmpty ? nil : parts.map { "\(grouped($0.0)) \($0.1)" }.joined(separator: ", ") + "."
    }

    /// nil if none failed.
    public static func failure(_ summary: TranscriptionSummary) -> FailureLine? {
        guard let failure = summary.firstFailure else { return nil }
        let which = summary.failed > 1 ? "\(counted(summary.failed, "episode")) failed, the first one: " : ""
        return FailureLine(
            "transcribe", which + words(failure, \.description), status: summary.status,
            advice: summary.isGivenUp ? "check the setting transcriber: it failed on three episodes in a row" : nil)
    }

    /// `Lighthouse keepers  12:30 of 45:00  3.2 times as fast as spoken  10 min left`
    public static func progress(_ step: TranscriptionStep, width: Int) -> String {
        let (title, facts): (String?, [String])
        switch step {
        case .fetching(let step):
            (title, facts) = (step.title, ["fetching " + formattedSize(step.bytes, of: step.total)])
        case .decoding(let listed): (title, facts) = (listed.episode.item.title, ["decoding"])
        case .recognized(let progress):
            title = progress.listed.episode.item.title
            facts = [
                "\(formattedDuration(progress.done)) of \(formattedDuration(progress.total))",
                progress.speed.map { "\(factor($0)) times as fast as spoken" },
                progress.remaining.map { "\(span(Int64($0.rounded(.up)))) left" },
            ].compactMap { $0 }
        }
        let end = facts.joined(separator: "  ")
        return "\((title ?? "").oneLine.truncated(to: max(width - 3 - end.count, 8)))  \(end)".truncated(to: width - 1)
    }

    private static func factor(_ speed: Double) -> String {
        speed < 10 ? "\((speed * 10).rounded() / 10)" : grouped(Int(bounded: speed.rounded()))
    }
}

extension TranscriptionSummary {
    public var status: ExitStatus {
        guard failed > 0 else { return .done }
        if case .fetch? = firstFailure, transcribed + silent + present + offered == 0 { return .unavailable }
        return .incomplete
    }
}

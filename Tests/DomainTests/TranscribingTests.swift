import Domain
import Scheduling
import SeededNumbers
import Testing

@testable import UseCases

/// The rules of transcribing: where audio is cut, how the pieces are joined, and when work ends or begins again.
@Suite struct TranscribingTests {
    // MARK: Pieces

    @Test func `audio without silence is cut into pieces that overlap`() {
        let pieces = AudioPiece.pieces(duration: 950, silences: [])
        #expect(
            pieces == [
                AudioPiece(number: 0, start: 0, end: 303), AudioPiece(number: 1, start: 297, end: 603),
                AudioPiece(number: 2, start: 597, end: 950),
            ])
    }

    @Test func `a cut lies in the longest silence near it`() {
        let pieces = AudioPiece.pieces(duration: 700, silences: [10...20, 250...250.5, 280...284, 299...300, 590...592])
        #expect(
            pieces == [
                AudioPiece(number: 0, start: 0, end: 282), AudioPiece(number: 1, start: 282, end: 591),
                AudioPiece(number: 2, start: 591, end: 700),
            ])
    }

    @Test(arguments: [0.4, 299, 300, 359, 360]) func `what is hardly longer than a piece is one`(duration: Double) {
        #expect(AudioPiece.pieces(duration: duration, silences: []) == [AudioPiece(number: 0, start: 0, end: duration)])
    }

    @Test func `no audio has no pieces`() {
        #expect(AudioPiece.pieces(duration: 0, silences: []).isEmpty)
        #expect(AudioPiece.pieces(duration: .infinity, silences: []).isEmpty)
    }

    @Test func `pieces cover all audio, whatever its silences`() {
        var random = SplitMix(seed: 45)
        for _ in 0..<300 {
            let duration = Double.random(in: 1...20_000, using: &random)
            var silences: [ClosedRange<Double>] = []
            var time = 0.0
            while time < duration, silences.count < 2_000 {
                time += Double.random(in: 0.1...120, using: &random)
                let end = time + Double.random(in: 0.3...20, using: &random)
                silences.append(time...end)
                time = end
            }
            let pieces = AudioPiece.pieces(duration: duration, silences: silences)
            #expect(pieces.first?.start == 0)
            #expect(pieces.last?.end == duration)
            for (one, next) in zip(pieces, pieces.dropFirst()) {
                #expect(next.start <= one.end && next.start > one.start && next.number == one.number + 1)
                #expect(one.length <= 325)
            }
        }
    }

    // MARK: Joining

    private func line(_ start: Double, _ text: String) -> TranscriptSegment { TranscriptSegment(start: start, text: text) }

    private func joined(_ parts: [(AudioPiece, [TranscriptSegment])]) -> [TranscriptSegment] {
        var join = TranscriptJoin()
        for (piece, segments) in parts { join.add(segments, of: piece) }
        return join.segments
    }

    @Test func `times are those of the whole file`() {
        let pieces = AudioPiece.pieces(duration: 500, silences: [299...301])
        let joined = joined([(pieces[0], [line(1, "one")]), (pieces[1], [line(2.5, "two"), line(250, "three")])])
        #expect(joined == [line(1, "one"), line(302.5, "two"), line(500, "three")])
    }

    @Test func `words of an overlap stand once`() {
        let pieces = AudioPiece.pieces(duration: 600, silences: [])
        // Both heard "the keeper of the light went"; the first lost the last word's end, the second its beginning.
        let joined = joined([
            (pieces[0], [line(290, "In the evening"), line(297.2, "the keeper of the Light, wen")]),
            (pieces[1], [line(0, "eper of the light went up the stairs."), line(9, "Nobody saw him.")]),
        ])
        #expect(
            joined.map(\.text).joined(separator: " ")
                == "In the evening the keeper of the Light, went up the stairs. Nobody saw him.")
        #expect(joined.map(\.start) == joined.map(\.start).sorted { ($0 ?? 0) < ($1 ?? 0) })
    }

    @Test func `without a common word the time decides`() {
        let pieces = AudioPiece.pieces(duration: 600, silences: [])
        let joined = joined([
            (pieces[0], [line(294, "alpha"), line(297, "beta"), line(299, "gamma"), line(301, "delta")]),
            (pieces[1], [line(0, "wrong"), line(4, "epsilon"), line(8, "zeta")]),
        ])
        #expect(joined.map(\.text) == ["alpha", "beta", "gamma", "epsilon", "zeta"])
    }

    @Test func `a piece without words joins nothing`() {
        let pieces = AudioPiece.pieces(duration: 900, silences: [])
        #expect(joined([(pieces[0], [line(1, "a")]), (pieces[1], []), (pieces[2], [line(1, "b")])]).map(\.text) == ["a", "b"])
    }

    /// Any speech, cut anywhere and recognised without a mistake, comes out as it was spoken.
    @Test func `joined pieces are the speech`() {
        var random = SplitMix(seed: 7)
        for _ in 0..<40 {
            var spoken: [(time: Double, word: String)] = []
            var time = 0.0
            while time < 900 {
                spoken.append((time, "w\(Int.random(in: 0..<400, using: &random))"))
                time += Double.random(in: 0.2...0.6, using: &random)
            }
            let parts = AudioPiece.pieces(duration: 900, silences: []).map { piece in
                let heard = spoken.filter { $0.time >= piece.start && $0.time + 0.2 <= piece.end }
                // Six words a line.
                let lines = stride(from: 0, to: heard.count, by: 6).map { first in
                    line(
                        heard[first].time - piece.start,
                        heard[first..<min(first + 6, heard.count)].map(\.word).joined(separator: " "))
                }
                return (piece, lines)
            }
            let words = joined(parts).flatMap { $0.text.split(separator: " ").map(String.init) }
            #expect(words == spoken.prefix(words.count).map(\.word))
            #expect(words.count >= spoken.count - 1)
        }
    }

    // MARK: What a recogniser wrote

    private func verdict(_ segments: [TranscriptSegment], of length: Double = 300) -> PieceVerdict {
        PieceVerdict(Array("x".utf8), ofLength: length) { _ in segments }
    }

    @Test func `five equal lines are a refrain, six are made up`() {
        #expect(verdict((0..<5).map { line(Double($0), "La la.") }).failure == nil)
        let six = verdict(
            [line(0, "Hello.")] + (1..<7).map { line(Double($0), $0 % 2 == 0 ? "Thank you!" : "thank you") } + [line(9, "Bye.")])
        #expect(six.segments.map(\.text) == ["Hello.", "Bye."])
        #expect(six.failure == PieceFailure(.repeated, words: "thank you"))
    }

    @Test func `rubbish is told from silence`() {
        func failure(_ text: String) -> PieceFailure.Kind? {
            PieceVerdict(Array(text.utf8), ofLength: 300) { _ in [] }.failure?.kind
        }
        #expect(failure("Segmentation fault") == .rubbish)
        #expect(failure("\u{1}\u{2}") == .rubbish)
        #expect(failure("WEBVTT\n\n") == nil)
        #expect(failure("{\"text\": \"\", \"segments\": []}") == nil)
        #expect(failure("\n") == nil)
        #expect(PieceVerdict(nil, ofLength: 300) { _ in [] }.failure?.kind == .noOutput)
    }

    @Test func `lines without times, or of another time, are rubbish`() {
        #expect(verdict([TranscriptSegment(start: nil, text: "a")]).failure?.kind == .rubbish)
        #expect(verdict([line(10, "a"), line(400, "b"), line(500, "c")]).failure?.kind == .rubbish)
        #expect(verdict([line(10, "a"), line(20, "b"), line(400, "c")]).segments.map(\.text) == ["a", "b"])
    }

    // MARK: Time

    @Test func `the time until another try doubles`() {
        let days = (1...9).map { Schedule.transcriptionBackoff(failures: $0) / 86_400 }
        #expect(days == [1, 2, 4, 8, 16, 32, 64, 64, 64])
    }

    @Test func `a run ends at the earlier of its bounds`() {
        // 2024-05-01 22:30 in a zone two hours ahead.
        guard let now = Timestamp(year: 2024, month: 5, day: 1, hour: 20, minute: 30) else { return }
        func end(_ seconds: Int64?, _ until: Int?) -> Timestamp? {
            TranscriptionBudget(seconds: seconds, until: until, now: now, zoneOffset: 7_200).end
        }
        #expect(end(nil, nil) == nil)
        #expect(end(7_200, nil) == now + 7_200)
        #expect(end(nil, 7 * 60) == Timestamp(year: 2024, month: 5, day: 2, hour: 5))
        #expect(end(nil, 23 * 60) == now + 1_800)
        #expect(end(nil, 22 * 60 + 30) == now + 86_400)
        #expect(end(3_600, 7 * 60) == now + 3_600)
    }

    @Test func `a piece begins only if it can end`() {
        let now = Timestamp(seconds: 1_000)
        let budget = TranscriptionBudget(end: Timestamp(seconds: 1_100))
        #expect(budget.allows(300, speed: nil, now: now))
        #expect(budget.allows(300, speed: 3, now: now))
        #expect(!budget.allows(300, speed: 2.9, now: now))
        #expect(!budget.allows(1, speed: nil, now: Timestamp(seconds: 1_100)))
        #expect(TranscriptionBudget().allows(300, speed: 0.01, now: now))
    }

    @Test func `the queue comes first, then what is new, then the newest`() {
        let podcast = PodcastID(feedURL: "https://example.com/feed")
        func order(_ name: String, queued: Int? = nil, isNew: Bool = false, at seconds: Int64?) -> TranscriptionOrder {
            TranscriptionOrder(
                EpisodeID(podcast: podcast, identity: name), queued: queued, isNew: isNew,
                date: seconds.map(Timestamp.init(seconds:)))
        }
        let sorted = [
            order("second in the queue", queued: 1, at: 1), order("old", at: 5), order("new", isNew: true, at: 2),
            order("first in the queue", queued: 0, at: nil), order("newer", isNew: true, at: 9), order("undated", at: nil),
        ].sorted()
        #expect(
            sorted == [
                order("first in the queue", queued: 0, at: nil), order("second in the queue", queued: 1, at: 1),
                order("newer", isNew: true, at: 9), order("new", isNew: true, at: 2), order("old", at: 5),
                order("undated", at: nil),
            ])
    }

    // MARK: The command

    @Test func `words of the command are filled in, and not split again`() {
        let command = TranscriberCommand("'my recogniser' -m ~/models/base -f {audio} -l {language} -of \"{output}\"")
        #expect(
            command?.arguments(audio: "/a b/{output}.wav", language: "en", output: "/o/{language}", home: "/home/me") == [
                "my recogniser", "-m", "/home/me/models/base", "-f", "/a b/{output}.wav", "-l", "en", "-of", "/o/{language}",
            ])
        #expect(TranscriberCommand("/opt/whisper/main {audio}")?.name == "main")
        #expect(TranscriberCommand("whisper") == nil)
        #expect(TranscriberCommand("whisper '{audio}") == nil)
    }

    @Test func `times may be off once the enclosure has another length`() {
        var making = TranscriptMaking(program: "x", audio: AudioFacts(bytes: 1_000, hash: 1))
        func item(_ length: Int?) -> Item {
            var item = Item()
            var enclosure = Enclosure()
            (enclosure.url, enclosure.type, enclosure.length) = ("https://example.com/1.mp3", "audio/mpeg", length)
            item.enclosures = [enclosure]
            return item
        }
        #expect(!making.timesMayBeOff(for: item(1_000)))
        making.enclosureLength = 1_000
        #expect(!making.timesMayBeOff(for: item(1_000)))
        #expect(!making.timesMayBeOff(for: item(nil)))
        #expect(making.timesMayBeOff(for: item(1_001)))
    }
}

import Domain
import Glibc
import SeededNumbers
import Testing

@testable import UseCases

/// Advertising is found by its repetition, and speech is left alone.
@Suite struct RepeatedPassagesTests {
    /// A podcast of episodes with advertising, and for each line whether it is.
    private struct Made {
        var episodes: [[TranscriptSegment]] = []
        var isAd: [[Bool]] = []
    }

    /// Speech of a language in which few words are frequent, and a tenth of the words belong to phrases that are said again
    /// and again.
    private struct Speech {
        var random: SplitMix
        let phrases: [[String]]

        init(seed: UInt64) {
            var random = SplitMix(seed: seed)
            phrases = (0..<300).map { _ in (0..<Int.random(in: 3...7, using: &random)).map { _ in Self.word(&random) } }
            self.random = random
        }

        /// The share of the word of rank n falls as 1/n.
        static func word(_ random: inout SplitMix) -> String {
            "w\(Int(exp2(Double.random(in: 0..<14, using: &random))))"
        }

        mutating func words(_ count: Int) -> [String] {
            var words: [String] = []
            while words.count < count {
                if Int.random(in: 0..<40, using: &random) == 0 {
                    words += phrases[Int(exp2(Double.random(in: 0..<8.2, using: &random)))]
                } else {
                    words.append(Self.word(&random))
                }
            }
            return words
        }

        /// Each word is heard wrongly with this probability.
        mutating func heard(_ words: [String], errors: Double) -> [String] {
            words.map { Double.random(in: 0..<1, using: &random) < errors ? Self.word(&random) : $0 }
        }
    }

    private func make(seed: UInt64, errors: Double, episodes: Int = 30) -> Made {
        var speech = Speech(seed: seed)
        let ads = (0..<5).map { _ in speech.words(Int.random(in: 50...150, using: &speech.random)) }
        var made = Made()
        for _ in 0..<episodes {
            var (lines, isAd): ([TranscriptSegment], [Bool]) = ([], [])
            func add(_ words: [String], _ ad: Bool) {
                for first in stride(from: 0, to: words.count, by: 12) {
                    lines.append(
                        TranscriptSegment(
                            start: Double(lines.count) * 5,
                            text: words[first..<min(first + 12, words.count)].joined(separator: " ")))
                    isAd.append(ad)
                }
            }
            for _ in 0..<3 {
                add(speech.words(Int.random(in: 800...1_600, using: &speech.random)), false)
                // Read again, and heard again with other mistakes.
                add(speech.heard(ads[Int.random(in: 0..<5, using: &speech.random)], errors: errors), true)
            }
            add(speech.words(300), false)
            made.episodes.append(lines)
            made.isAd.append(isAd)
        }
        return made
    }

    @Test(arguments: [0, 0.02, 0.05, 0.1]) func `what recurs is marked, and hardly anything else`(errors: Double) {
        var (right, wrong, missed) = (0, 0, 0)
        for seed in 1...2 as ClosedRange<UInt64> {
            let made = make(seed: seed, errors: errors)
            var passages = RepeatedPassages()
            for episode in made.episodes { passages.add(episode) }
            for (number, episode) in made.episodes.enumerated() {
                for (index, (marked, ad)) in zip(passages.marks(of: episode, number: number), made.isAd[number]).enumerated() {
                    let words = episode[index].text.split(separator: " ").count
                    if marked, ad { right += words } else if marked { wrong += words } else if ad { missed += words }
                }
            }
        }
        let precision = Double(right) / Double(max(right + wrong, 1))
        let recall = Double(right) / Double(max(right + missed, 1))
        print("advertising, \(errors) of the words heard wrongly: precision \(precision), recall \(recall)")
        #expect(precision >= 0.98, "\(precision)")
        #expect(recall >= 0.8, "\(recall)")
    }

    @Test func `a greeting is too short, and two episodes are too few`() {
        var speech = Speech(seed: 9)
        let (greeting, ad) = (speech.words(12), speech.words(60))
        func line(_ words: [String]) -> TranscriptSegment { TranscriptSegment(start: 0, text: words.joined(separator: " ")) }
        let episodes = (0..<5).map { number in
            [line(greeting)] + (0..<20).map { _ in line(speech.words(12)) } + (number < 2 ? [line(ad)] : [])
        }
        var passages = RepeatedPassages()
        for episode in episodes { passages.add(episode) }
        for (number, episode) in episodes.enumerated() { #expect(!passages.marks(of: episode, number: number).contains(true)) }
    }

    @Test func `an episode that is published again is no advertising`() {
        var speech = Speech(seed: 11)
        let episode = (0..<100).map { TranscriptSegment(start: Double($0), text: speech.words(12).joined(separator: " ")) }
        var passages = RepeatedPassages()
        for _ in 0..<4 { passages.add(episode) }
        #expect(!passages.marks(of: episode, number: 0).contains(true))
    }

    @Test func `nothing is marked in nothing`() {
        #expect(RepeatedPassages().marks(of: [], number: 0).isEmpty)
        #expect(RepeatedPassages().marks(of: [TranscriptSegment(start: 0, text: "")], number: 0) == [false])
    }
}

import Domain
import Glibc
import SeededNumbers
import Testing

@testable import UseCases

/// Transcripts that share passages are found by their fingerprints.
@Suite struct FingerprintTests {
    private static func spoken(_ words: [String]) -> [TranscriptSegment] {
        stride(from: 0, to: words.count, by: 12).map {
            TranscriptSegment(start: Double($0), text: words[$0..<min($0 + 12, words.count)].joined(separator: " "))
        }
    }

    private static func words(_ count: Int, _ random: inout SplitMix) -> [String] {
        (0..<count).map { _ in "w\(Int(exp(Double.random(in: 0..<10, using: &random))))" }
    }

    /// A tenth of the words are heard wrongly, in each of the two.
    @Test func `a passage of fifty words is found though a tenth is heard wrongly, and speech in common is not`() {
        var random = SplitMix(seed: 1)
        var (found, wrong) = (0, 0)
        for _ in 0..<100 {
            let passage = Self.words(60, &random)
            func heard() -> [String] {
                passage.map { Int.random(in: 0..<10, using: &random) == 0 ? "misheard" : $0 }
            }
            let first = PassageFingerprint(of: Self.spoken(Self.words(2_000, &random) + heard() + Self.words(500, &random)))
            let second = PassageFingerprint(of: Self.spoken(Self.words(700, &random) + heard() + Self.words(1_000, &random)))
            let other = PassageFingerprint(of: Self.spoken(Self.words(3_000, &random)))
            let shared = SharedPassages([other, first])
            if shared.shared(with: second) != nil { found += 1 }
            if SharedPassages([first]).shared(with: other) != nil { wrong += 1 }
        }
        #expect(found >= 80, "\(found)")
        #expect(wrong <= 2, "\(wrong)")
    }

    @Test func `a copy of a transcript shares no passages`() {
        var random = SplitMix(seed: 2)
        let words = Self.words(2_000, &random)
        let first = PassageFingerprint(of: Self.spoken(words))
        #expect(SharedPassages([first]).shared(with: PassageFingerprint(of: Self.spoken(words + ["bye"]))) == nil)
        #expect(SharedPassages([]).shared(with: first) == nil)
        #expect(SharedPassages([PassageFingerprint(of: [])]).shared(with: first) == nil)
    }

    @Test func `podcasts are of one network by publisher, owner or author, not by their host`() {
        func names(_ host: String, _ change: (inout Channel) -> Void) -> Set<UInt64> {
            var channel = Channel()
            change(&channel)
            let podcast = Podcast(
                id: PodcastID(text: "p"), feedURL: "https://\(host)/feed", subscribedAt: Timestamp(seconds: 0))
            return PodcastNetwork.names(of: podcast, channel)
        }
        #expect(names("a.example") { _ in }.isEmpty)
        #expect(names("a.example") { $0.author = "Harbor Media" } == names("b.example") { $0.author = "harbor  MEDIA" })
        #expect(names("a.example") { $0.author = "A" }.isDisjoint(with: names("a.example") { $0.author = "B" }))
        func owned(_ email: String) -> Set<UInt64> {
            names("a.example") {
                var owner = Owner()
                owner.email = email
                $0.owner = owner
            }
        }
        #expect(owned("Desk@harbor.example") == owned("desk@harbor.example"))
        func published(_ guid: String) -> Set<UInt64> {
            names("a.example") {
                var publisher = RemoteItem()
                publisher.feedGuid = guid
                $0.publisher = publisher
                $0.author = guid
            }
        }
        #expect(!published("1").isDisjoint(with: published("1")) && published("1").isDisjoint(with: published("2")))
    }
}

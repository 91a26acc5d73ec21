import Domain
import Glibc

/// A random library, the same in every run, a tenth in other scripts. The vocabulary has no end, as in real text: the rank of a
/// word is the integer part of a number x >= 0, drawn with a density proportional to 1 / ((x + 1) (x + knee)), as in
/// `scripts/benchmarks/feeds.py`. `scripts/bench words` counts the words.
struct GeneratedLibrary {
    static let newest = Timestamp(seconds: 1_760_000_000)
    /// Fifteen years.
    private static let span: UInt64 = 15 * 365 * 86_400
    /// Words of higher ranks are rarer than Zipf's law alone makes them.
    private static let knee = 11_000.0
    static let episodesAPodcast = 125

    private var random: UInt64 = 42
    /// The frequent words, by rank.
    private let words: [String] = (0..<200_000).map { Self.word($0) }

    /// A pronounceable word for each rank; frequent ones are short.
    private static func word(_ rank: Int) -> String {
        let onsets = ["b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr", "pl", "ch"]
        let vowels = ["a", "e", "i", "o", "u", "ea", "ou"]
        var text = ""
        var remaining = rank + 1
        repeat {
            text += onsets[remaining % onsets.count]
            remaining /= onsets.count
            text += vowels[remaining % vowels.count]
            remaining /= vowels.count
        } while remaining > 0
        return text + "n"
    }

    private mutating func next() -> UInt64 {  // SplitMix64
        random &+= 0x9E37_79B9_7F4A_7C15
        var z = random
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    private mutating func nextWord() -> String {
        // The inverse of the distribution; a power of 1 would be an infinite rank.
        let power = pow(Self.knee, Double((next() >> 14) + 1) / Double(1 << 50))
        let rank = Int((Self.knee - power) / (power - 1))
        return rank < words.count ? words[rank] : Self.word(rank)
    }

    private mutating func text(_ count: Int) -> String {
        var text = ""
        for index in 0..<count {
            if index > 0 { text += " " }
            text += nextWord()
        }
        return text
    }

    private mutating func otherScript() -> String {
        let (first, size): (UInt32, UInt64) = [(0x4E00, 2_000), (0x30A1, 80), (0x0430, 32), (0xAC00, 3_000)][Int(next() % 4)]
        var view = String.UnicodeScalarView()
        for index in 0..<40 {
            if index % 9 == 8 { view.append(" ") }
            if let scalar = Unicode.Scalar(first + UInt32(next() % size)) { view.append(scalar) }
        }
        return String(view)
    }

    func podcast(_ number: Int) -> Podcast {
        var podcast = Podcast(
            id: PodcastID(feedURL: "https://example.com/\(number)"), feedURL: "", subscribedAt: Self.newest)
        podcast.title = words[number % 5_000] + " " + words[number * 7 % 20_000]
        podcast.contentRevision = 1
        return podcast
    }

    /// All of one podcast.
    mutating func episodes(_ numbers: Range<Int>, words: Int) -> [Episode] {
        let podcast = PodcastID(feedURL: "https://example.com/\(numbers.lowerBound / Self.episodesAPodcast)")
        return numbers.map { number in
            var item = Item()
            item.title = text(6)
            item.description = text(words) + (next() % 10 == 0 ? " " + otherScript() : "")
            item.publishedAt = Self.newest - Int64(next() % Self.span)
            item.duration = Double(next() % 7_200)
            return Episode(
                id: EpisodeID(podcast: podcast, identity: "\(number)"), item: FeedItem(item), firstSeenAt: Self.newest,
                changedAt: Self.newest)
        }
    }

    /// The number of different words among the first words of the Latin text, for each of the counts in rising order.
    mutating func vocabulary(of counts: [Int]) -> [Int] {
        var (seen, drawn) = (Set<String>(), 0)
        return counts.map { count in
            while drawn < count {
                seen.insert(nextWord())
                drawn += 1
            }
            return seen.count
        }
    }

    var queries: [(kind: String, ours: String, plain: String)] {
        func plain(_ kind: String, _ text: String) -> (String, String, String) { (kind, text, text) }
        let rare = (0..<10).map { plain("rare", words[30_000 + $0 * 1_500]) }
        let middling = (0..<10).map { plain("middling", words[2_000 + $0 * 1_500]) }
        let common = (0..<10).map { plain("common", words[$0 * $0]) }
        let two = (0..<10).map { plain("two words", words[$0 * 3] + " " + words[50 + $0 * 400]) }
        let phrases = (0..<6).map { plain("phrase", "\"" + words[$0] + " " + words[$0 * 5 + 1] + "\"") }
        let prefixes = (0..<6).map { (index: Int) -> (String, String, String) in
            let start = String(words[1_000 + index * 777].prefix(4))
            return ("prefix", start + "*", start + "*")
        }
        let scripts = ["丁丂", "アイ", "абв", "각갂"].map { ("other script", $0, $0) }
        let none = (0..<4).map { plain("no match", words[300 + $0] + "zq") }
        return (rare + middling + common + two + phrases + prefixes + scripts + none)
            .map { (kind: $0.0, ours: $0.1, plain: $0.2) }
    }
}

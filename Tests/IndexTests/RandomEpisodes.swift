import Domain

/// Random episodes and queries, the same in every run.
struct RandomEpisodes {
    static let words: [String] = {
        let first: [String] = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r"]
        let vowels: [String] = ["a", "e", "i", "o", "u"]
        let second: [String] = ["m", "n", "r", "l", "k", "t", "p", "z"]
        return (0..<400).map { number in "\(first[number % 10])\(vowels[number / 10 % 5])\(second[number / 50])o" }
    }()

    var dice = Dice()

    /// Words with the frequencies of real text: the first in most episodes, the last in few.
    private mutating func word() -> String {
        let share = Double(dice.roll(1 << 20)) / Double(1 << 20)
        return Self.words[Int(400 * share * share * share * share)]
    }

    private mutating func text(_ count: Int) -> String { (0..<count).map { _ in word() }.joined(separator: " ") }

    mutating func episodes(of podcast: Int, _ count: Int) -> [Episode] {
        (0..<count).map { number in
            let title = text(1 + dice.roll(6))
            let description = text(1 + dice.roll(dice.roll(40) == 0 ? 2_000 : 60))
            return episode("e\(number)", title, age: Int64(dice.roll(3_000)), of: "pod0000\(podcast)") { item in
                item.description = description
                if number % 7 == 0 { item.tags = [Self.words[number % 400]] }
                if number % 50 == 0 { item.publishedAt = nil }
                if number % 9 == 0 { item.type = "bonus" }
            }
        }
    }

    mutating func query() -> String {
        func phrase(_ count: Int) -> String { "\"" + text(count) + "\"" }
        switch dice.roll(12) {
        case 0, 1: return word()
        case 2, 3: return word() + " " + word()
        case 4: return word() + " " + word() + " " + word()
        case 5: return word() + " OR " + word()
        case 6: return "\(word()) -\(word())"
        case 7: return phrase(2)
        case 8: return phrase(2) + " " + word()
        case 9: return word().prefix(2) + "*"
        case 10: return "title:\(word())" + (dice.roll(2) == 0 ? " " + word() : "")
        default:
            return [
                "type:bonus \(word())", "(\(word()) OR \(word())) \(word())", "after:2020-01-01 \(word())", "tag:\(word())",
                "(\(word()) type:bonus) OR \(word())", "\(word()) \(word().prefix(3))* \(word())", "podcast:show \(word())",
            ][dice.roll(7)]
        }
    }
}

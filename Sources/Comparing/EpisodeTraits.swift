import Domain

/// What an item and an episode are compared by if none of their exact keys is the same.
struct EpisodeTraits {
    let words: [String]
    /// The title without what editors and hosts change: case, punctuation, escapes, and `Chapter` before a number.
    let title: String?
    let publishedAt: Timestamp?
    let media: MediaAddress?
    /// Season and number.
    let number: String?
    let duration: Double?
    /// Of the enclosure; nil if it looks like a placeholder.
    let length: Int?
    /// The hash of the description's letters and digits; nil if it is short.
    let text: UInt64?
    let hasGuid: Bool

    init(_ item: Item) {
        words = item.title.map { Self.words(of: $0) } ?? []
        title = Self.title(words)
        publishedAt = item.publishedAt
        media = item.enclosures.first?.url.flatMap(MediaAddress.init)
        number = Self.number(of: item)
        duration = item.duration.flatMap { $0 > 1 ? $0 : nil }
        length = item.enclosures.first?.length.flatMap { $0 >= 10_000 ? $0 : nil }
        text = (item.description ?? item.summary ?? item.content).flatMap { Self.hash(ofText: $0) }
        hasGuid = item.guid != nil
    }

    static func title(_ title: String) -> String? { Self.title(words(of: title)) }

    private static func title(_ words: [String]) -> String? { words.isEmpty ? nil : words.joined(separator: " ") }

    static func number(of item: Item) -> String? {
        item.episode?.number.map { "\(item.season?.number ?? 0)/\($0)" }
    }

    // MARK: Comparisons

    /// The title with `#` for its numbers; nil if little else is left, as of `Part 1`.
    var shape: String? {
        let shape = words.map { Self.isNumber($0) ? "#" : $0 }
        return shape.allSatisfy { $0 == "#" || Self.parts.contains($0) } ? nil : shape.joined(separator: " ")
    }

    /// True if a fact is known of both and differs.
    func contradicts(_ other: EpisodeTraits) -> Bool {
        if let number, let its = other.number, number != its { return true }
        if let duration, let its = other.duration { return abs(duration - its) > max(2, duration / 100) }
        if let length, let its = other.length { return length != its }
        return false
    }

    /// True if there is a fact that two episodes hardly share.
    func isConfirmed(by other: EpisodeTraits) -> Bool {
        if let length, length == other.length { return true }
        if hasFile(of: other) { return true }
        return text != nil && text == other.text && duration != nil && duration == other.duration
    }

    func hasFile(of other: EpisodeTraits) -> Bool { numberedFile != nil && numberedFile == other.numberedFile }

    var numberedFile: String? { media.flatMap { $0.isNumbered ? $0.fileName : nil } }

    /// True if both titles have the same numbers, and one has all the words of the other, or two thirds are the same; or if
    /// one has got a number and is otherwise the other.
    func hasTitle(like other: EpisodeTraits) -> Bool {
        if words == other.words { return true }
        let (own, its) = (Set(words), Set(other.words))
        let (shorter, longer) = words.count < other.words.count ? (words, other.words) : (other.words, words)
        if shorter.count > 1, longer.count == shorter.count + 1 {
            if Self.isNumber(longer[0]), longer.dropFirst().elementsEqual(shorter) { return true }
            if Self.isNumber(longer[shorter.count]), longer.dropLast().elementsEqual(shorter) { return true }
        }
        guard own.filter(Self.isNumber) == its.filter(Self.isNumber), !own.isEmpty, !its.isEmpty else { return false }
        let shared = own.intersection(its).count
        return shared == min(own.count, its.count) || shared * 3 >= max(own.count, its.count) * 2
    }

    // MARK: Texts

    private static let parts: Set = [
        "chapter", "chap", "ch", "episode", "ep", "part", "pt", "no", "nr", "folge", "kapitel", "teil", "episodio", "capitulo",
        "parte", "chapitre", "partie", "season", "staffel", "saison", "s", "e",
    ]
    private static let numbers: Set = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "first", "second",
        "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "last", "final", "i", "ii", "iii", "iv", "v",
        "vi", "vii", "viii", "ix", "x", "xi", "xii",
    ]

    private static func isNumber(_ word: String) -> Bool {
        numbers.contains(word) || word.utf8.contains { (48...57).contains($0) }
    }

    private static func words(of title: String) -> [String] {
        let words = TitleName.foldedWords(of: plain(title))
        return words.indices.compactMap { index in
            index + 1 < words.count && parts.contains(words[index]) && isNumber(words[index + 1]) ? nil : words[index]
        }
    }

    /// The title with one kind of apostrophe, and with blanks for character references.
    private static func plain(_ title: String) -> String {
        var plain = String.UnicodeScalarView()
        var scalars = title.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "‘", "ʼ", "`", "´", "′": plain.append("'")
            case "&":
                let name = scalars.prefix(8).prefix {
                    $0 == "#" || $0.properties.isAlphabetic || $0.properties.numericType != nil
                }
                guard !name.isEmpty, scalars.dropFirst(name.count).first == ";" else {
                    plain.append(" ")
                    continue
                }
                scalars = scalars.dropFirst(name.count + 1)
                plain.append(["#39", "#8217", "#x27", "#x2019", "apos", "rsquo"].contains(String(name).lowercased()) ? "'" : " ")
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }

    private static func hash(ofText text: String) -> UInt64? {
        var hasher = XXH64()
        var letters = 0
        var isInTag = false
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x3C: isInTag = true
            case 0x3E: isInTag = false
            // U+2000 to U+206F: blanks, quotation marks and dashes.
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0xC0...0x1FFF, 0x2070...:
                if isInTag { continue }
                hasher.update(UInt64(scalar.isASCII ? scalar.value | 0x20 : scalar.value))
                letters += 1
            default: break
            }
        }
        return letters < 20 ? nil : hasher.finish()
    }
}

extension SearchQuery.Condition.Kind {
    /// nil where the name is none of the conditions, or the value cannot be read.
    init?(name: String, value: String) {
        switch name {
        case "after":
            guard let day = Timestamp(queryDate: value) else { return nil }
            self = .after(day)
        case "before":
            guard let day = Timestamp(queryDate: value) else { return nil }
            self = .before(day)
        case "longer":
            guard let seconds = seconds(value) else { return nil }
            self = .longer(than: seconds)
        case "shorter":
            guard let seconds = seconds(value) else { return nil }
            self = .shorter(than: seconds)
        case "season":
            guard let number = Int(value), number >= 0 else { return nil }
            self = .season(number)
        case "type":
            guard ["full", "trailer", "bonus"].contains(value) else { return nil }
            self = .type(value)
        default:
            switch (name, value) {
            case ("in", "queue"): self = .inQueue
            case ("is", "new"): self = .isNew
            case ("has", "transcript"), ("has", "transcripts"): self = .hasTranscript
            case ("has", "chapter"), ("has", "chapters"): self = .hasChapters
            default: return nil
            }
        }
    }
}

extension Timestamp {
    /// `2024`, `2024-05` or `2024-05-17`: the first moment of it, UTC.
    public init?(queryDate text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), parts[0].utf8.count == 4,
            parts.allSatisfy({ $0.utf8.count <= 4 && $0.utf8.allSatisfy { (48...57).contains($0) } })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == parts.count else { return nil }
        self.init(
            year: numbers[0], month: numbers.count > 1 ? numbers[1] : 1, day: numbers.count > 2 ? numbers[2] : 1)
    }
}

/// `90m`, `1h30m`, `45s`, `1:30:00`, or plain minutes: `90`.
private func seconds(_ text: String) -> Double? {
    if text.contains(":") {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard (2...3).contains(parts.count) else { return nil }
        var total = 0
        for part in parts {
            guard let part, (0...999).contains(part) else { return nil }
            total = total * 60 + part
        }
        return Double(total)
    }
    var total = 0.0
    var digits = ""
    var units: [Character] = []
    for character in text {
        if character.isASCII, character.isNumber || character == "." {
            digits.append(character)
            continue
        }
        guard let number = Double(digits), !units.contains(character) else { return nil }
        switch character {
        case "h": total += number * 3_600
        case "m": total += number * 60
        case "s": total += number
        default: return nil
        }
        units.append(character)
        digits = ""
    }
    guard !digits.isEmpty else { return units.isEmpty ? nil : total }
    guard units.isEmpty, let minutes = Double(digits) else { return nil }
    return minutes * 60
}

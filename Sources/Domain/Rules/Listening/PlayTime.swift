/// A time in an episode, or a span of one, as people type it: `12:30`, `1:02:03`, `90`, `90s`, `2m`, `1h30m`.
public enum PlayTime {
    /// Seconds, at most a week; nil if the text is no time.
    public static func parse(_ text: some StringProtocol) -> Double? {
        let seconds = text.contains(":") ? clock(text) : span(text)
        return seconds.flatMap { (0...604_800).contains($0) ? $0 : nil }
    }

    private static func clock(_ text: some StringProtocol) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 3 else { return nil }
        var seconds = 0.0
        for (index, part) in parts.enumerated() {
            guard let number = number(part), index == 0 || number < 60, index == parts.count - 1 || !part.contains(".") else {
                return nil
            }
            seconds = seconds * 60 + number
        }
        return seconds
    }

    private static func span(_ text: some StringProtocol) -> Double? {
        if let number = number(text) { return number }
        var seconds = 0.0
        var units: [(Character, Double)] = [("h", 3_600), ("m", 60), ("s", 1)]
        var digits = ""
        for character in text.lowercased() {
            guard let index = units.firstIndex(where: { $0.0 == character }) else {
                digits.append(character)
                continue
            }
            guard let number = number(digits) else { return nil }
            seconds += number * units[index].1
            digits = ""
            units.removeFirst(index + 1)
        }
        return digits.isEmpty && units.count < 3 ? seconds : nil
    }

    private static func number(_ text: some StringProtocol) -> Double? {
        guard !text.isEmpty, text.utf8.count <= 12, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }) else {
            return nil
        }
        return Double(text)
    }
}

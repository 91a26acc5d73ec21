internal import Domain

/// Reads URLs, dates and durations for the rules, with a warning for unreadable ones.
extension FeedBuilder {
    /// Counts a text that is not from an XML element.
    mutating func noteText(_ bytes: Int) { footprint.addText(bytes) }

    func resolve(_ url: String) -> String { bases.resolve(url) }

    func url(_ text: Text) -> String? {
        if text.isEmpty { return nil }
        return text.isPlainWebURL ? text.string : resolve(text.string)
    }

    /// A URL that is likely to be repeated by the next item.
    mutating func repeatedURL(_ text: Text) -> String? {
        text.isPlainWebURL ? repeatedTexts.string(text) : url(text)
    }

    func url(_ text: String?) -> String? {
        guard let text = text?.trimmedValue else { return nil }
        return resolve(text)
    }

    mutating func date(_ text: Text) -> Timestamp? {
        guard !text.isEmpty else { return nil }
        if let date = readDate(text) { return date }
        warn("date", "unreadable date “\(text.string.prefix(60))”")
        return nil
    }

    mutating func date(_ text: String?) -> Timestamp? {
        text?.withText { date($0) } ?? nil
    }

    mutating func duration(_ text: Text) -> Double? {
        guard !text.isEmpty else { return nil }
        if let seconds = readDuration(text) { return seconds }
        warn("duration", "unreadable duration “\(text.string.prefix(60))”")
        return nil
    }

    mutating func duration(_ text: String?) -> Double? {
        text?.withText { duration($0) } ?? nil
    }
}

/// Reads words: months, weekdays, zones and halves of the day.
extension DateScanner {
    mutating func readWord() -> Bool {
        let start = index
        while index < text.count, Self.isLetter(text[index]) || text[index] >= 128 { index += 1 }
        // Nearly all dates are in English; they are read without creating Strings.
        switch EnglishDateWords.meaning(of: text[start..<index]) {
        case .month(let number) where month == nil || monthIsDoubtful: return setMonth(number)
        case .weekday: return true
        case .utc where time != nil:
            offset = offset ?? 0
            return true
        default: break
        }
        if index - start == 1, isHalfOfDay(after: -1) { index += 2 }
        let word = text[start..<index].string.lowercased()
        if month == nil || monthIsDoubtful,
            let number = MonthNames.month(word) ?? (day == nil ? nil : MonthNames.misspeltMonth(word))
        {
            return setMonth(number)
        } else if ["tháng", "thg"].contains(word) {
            return readNumberedMonth()
        } else if let isAfternoon = DateWords.halfOfDay(word) {
            self.isAfternoon = isAfternoon
        } else if let zone = DateWords.zones[word], time != nil {
            offset = zone * 60
        } else if word == "t", time == nil, day != nil {
            return true
        } else if day == nil || DateWords.isFiller(word) || (year != nil && DateWords.isWeekday(word)) {
            // A weekday, right or wrong, in any language.
            return true
        } else {
            // RFC 5322, section 4.3: an unknown zone is UTC.
            return time != nil && year != nil && offset == nil
        }
        return true
    }

    private mutating func setMonth(_ number: Int) -> Bool {
        month = number
        monthIsDoubtful = day == nil && year == nil
        return true
    }

    /// Vietnamese: `31 tháng 12`.
    private mutating func readNumberedMonth() -> Bool {
        skipBlanks()
        let length = digitCount(at: index)
        guard (1...2).contains(length), month == nil else { return false }
        month = number(at: index, length)
        index += length
        return true
    }

    /// True if `am`, `pm`, `a.m.` or `p.m.` follows after `length` bytes and perhaps a blank.
    func isHalfOfDay(after length: Int) -> Bool {
        let start = peek(length) == 32 ? length + 1 : length
        guard let first = peek(start), first | 0x20 == UInt8(ascii: "p") || first | 0x20 == UInt8(ascii: "a") else {
            return false
        }
        let letter = peek(start + 1) == UInt8(ascii: ".") ? start + 2 : start + 1
        guard let second = peek(letter), second | 0x20 == UInt8(ascii: "m") else { return false }
        return peek(letter + 1).map { !Self.isLetter($0) } ?? true
    }
}

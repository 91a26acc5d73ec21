internal import Domain

/// Dates that begin with the year. Source: ISO 8601, and Hungarian and Korean feeds.
extension DateScanner {
    /// `2004-07-08`, `20040708`, `040708`, `04-07-08`, `2004-07`, `2004`, `2004-189`, `2004-W28-4`, `2004W284`, `2004/7/8`,
    /// and the forms of ISO 8601 until 2000: `04-189`, `04189`, `-0407`, `-04-07`.
    ///
    /// - Returns: false if the date is unreadable; true, without reading anything, if it has another form.
    mutating func readCalendarDate() -> Bool {
        let digits = digitCount(at: 0)
        switch digits {
        case 0 where peek(0) == UInt8(ascii: "-"): readMonthWithoutCentury()
        case 5 where text.count == 5, 2 where text.count == 6 && peek(2) == UInt8(ascii: "-") && digitCount(at: 3) == 3:
            index = text.count
            return readDayOfYear(Self.fullYear(number(at: 0, 2), 2), number(at: text.count - 3, 3))
        case 14, 12, 8:
            (year, month, day) = (number(at: 0, 4), number(at: 4, 2), number(at: 6, 2))
            index = 8
            if digits > 8 { return readCompactTime(digits - 8) }
            return readTimeAfterDate(mayFollowBlank: true)
        case 7:
            index = 7
            return readDayOfYear(number(at: 0, 4), number(at: 4, 3)) && readTimeAfterDate()
        case 6:
            (year, month, day) = (Self.fullYear(number(at: 0, 2), 2), number(at: 2, 2), number(at: 4, 2))
            index = 6
            return readTimeAfterDate()
        case 4: return readDateWithFullYear()
        default: break
        }
        return true
    }

    /// `-0407`, `-04-07`: year and month.
    private mutating func readMonthWithoutCentury() {
        let hyphen = peek(3) == UInt8(ascii: "-") ? 1 : 0
        guard text.count == 5 + hyphen, digitCount(at: 1) == 4 - 2 * hyphen, digitCount(at: 3 + hyphen) == 2 else { return }
        (year, month, day) = (Self.fullYear(number(at: 1, 2), 2), number(at: 3 + hyphen, 2), 1)
        index = text.count
    }

    /// Dates that begin with four digits: `2004`, `2004-07`, `2004-07-08`, `2004/7/8`, `2004. 7. 8.`, `2004-189`,
    /// `2004-W28-4`, `2004W284`.
    private mutating func readDateWithFullYear() -> Bool {
        let year = number(at: 0, 4)
        let separator = peek(4)
        let isSeparated = separator == UInt8(ascii: "-") || separator == UInt8(ascii: "/") || separator == UInt8(ascii: ".")
        let yearEnd = isSeparated ? 5 : 4
        if let next = peek(yearEnd), next | 0x20 == UInt8(ascii: "w") {
            self.year = year
            index = yearEnd + 1
            return readWeekDate()
        }
        guard isSeparated else {
            guard text.count == 4 else { return true }
            (self.year, month, day) = (year, 1, 1)
            index = 4
            return true
        }
        self.year = year
        index = yearEnd
        // Hungarian and Korean: `2004. 7. 8.`
        if separator == UInt8(ascii: ".") { skipBlanks() }
        let length = digitCount(at: index)
        switch length {
        case 0: return true
        case 1, 2: month = number(at: index, length)
        case 3:
            index += 3
            return readDayOfYear(year, number(at: index - 3, 3))
        default: return false
        }
        index += length
        day = 1
        if peek(0) == separator {
            index += 1
            if separator == UInt8(ascii: ".") { skipBlanks() }
            let dayLength = digitCount(at: index)
            guard (1...2).contains(dayLength) else { return false }
            day = number(at: index, dayLength)
            index += dayLength
        }
        return readTimeAfterDate()
    }

    /// Reads a compact time after a `T`, or after a blank if the date is compact too. Times with colons are read later.
    private mutating func readTimeAfterDate(mayFollowBlank: Bool = false) -> Bool {
        let isAfterBlank = mayFollowBlank && peek(0) == 32 && digitCount(at: 9) >= 4
        guard let next = peek(0), next | 0x20 == UInt8(ascii: "t") || isAfterBlank else { return true }
        index += 1
        let length = digitCount(at: index)
        return length < 2 || peek(length) == UInt8(ascii: ":") || readCompactTime(length)
    }

    private mutating func readDayOfYear(_ year: Int, _ dayOfYear: Int) -> Bool {
        guard let start = Timestamp(year: year, month: 1, day: 1), (1...366).contains(dayOfYear) else { return false }
        let date = (start + Int64(dayOfYear - 1) * 86_400).parts
        guard date.year == year else { return false }
        (self.year, month, day) = (date.year, date.month, date.day)
        return true
    }

    /// `28` or `28-4` of `2004-W28-4`, or `284` of `2004W284`. Source: ISO 8601, week dates.
    private mutating func readWeekDate() -> Bool {
        guard let year, (2...3).contains(digitCount(at: index)), let fourth = Timestamp(year: year, month: 1, day: 4) else {
            return false
        }
        let week = number(at: index, 2)
        index += 2
        var weekday = 1
        let hyphen = peek(0) == UInt8(ascii: "-") ? 1 : 0
        if digitCount(at: index + hyphen) == 1 {
            weekday = number(at: index + hyphen, 1)
            index += hyphen + 1
        }
        guard (1...53).contains(week), (1...7).contains(weekday) else { return false }
        let firstMonday = fourth - Int64((fourth.parts.weekday + 6) % 7) * 86_400
        // A week belongs to the year of its Thursday.
        let monday = firstMonday + Int64(week - 1) * 7 * 86_400
        guard (monday + 3 * 86_400).parts.year == year else { return false }
        let date = (monday + Int64(weekday - 1) * 86_400).parts
        (self.year, month, day) = (date.year, date.month, date.day)
        if let next = peek(0), next | 0x20 == UInt8(ascii: "t") { index += 1 }
        return true
    }

    /// `10`, `1014`, `101455`.
    private mutating func readCompactTime(_ length: Int) -> Bool {
        guard length == 2 || length == 4 || length == 6 else { return false }
        time = (number(at: index, 2), length > 2 ? number(at: index + 2, 2) : 0, length > 4 ? number(at: index + 4, 2) : 0)
        index += length
        skipFraction()
        return true
    }
}

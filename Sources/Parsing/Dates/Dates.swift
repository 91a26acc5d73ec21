internal import Domain

/// Reads a date in any of the forms feeds carry; nil if it cannot be read, never "now".
///
/// A date without a zone is UTC; a date without a time is at midnight. A wrong weekday is ignored; a part out of range
/// makes the date unreadable.
/// Source: RFC 822, 2822 and 5322; RFC 3339, ISO 8601 and W3CDTF; asctime; and forms found in feeds.
func readDate(_ text: Text) -> Timestamp? {
    if let date = readUsualDate(text) { return date }
    guard text.count <= 128 else { return nil }
    if let ascii = DateSigns.ascii(text) {
        return ascii.withText {
            var scanner = DateScanner($0)
            return scanner.read()
        }
    }
    var scanner = DateScanner(text)
    return scanner.read()
}

/// Reads only the form of nearly all feeds: `Tue, 01 Mar 2005 10:00:00 +0000` or `GMT`.
private func readUsualDate(_ text: Text) -> Timestamp? {
    guard text.count == 29 || text.count == 31, text[3] == UInt8(ascii: ","), text[4] == 32, text[7] == 32,
        text[11] == 32, text[16] == 32, text[19] == UInt8(ascii: ":"), text[22] == UInt8(ascii: ":"), text[25] == 32
    else { return nil }
    func number(_ range: Range<Int>) -> Int? {
        var value = 0
        for index in range {
            guard (48...57).contains(text[index]) else { return nil }
            value = value * 10 + Int(text[index] - 48)
        }
        return value
    }
    guard let day = number(5..<7), let month = EnglishDateWords.month(text[8], text[9], text[10]),
        let year = number(12..<16), let hour = number(17..<19), let minute = number(20..<22), let second = number(23..<25)
    else { return nil }
    var offset = 0
    if text.count == 31 {
        guard let hours = number(27..<29), let minutes = number(29..<31), hours < 24, minutes < 60 else { return nil }
        offset = hours * 3_600 + minutes * 60
        if text[26] == UInt8(ascii: "-") { offset = -offset } else if text[26] != UInt8(ascii: "+") { return nil }
    } else if text[26] != UInt8(ascii: "G") || text[27] != UInt8(ascii: "M") || text[28] != UInt8(ascii: "T") {
        return nil
    }
    return Timestamp(year: year, month: month, day: day, hour: hour, minute: minute, second: second).map { $0 - Int64(offset) }
}

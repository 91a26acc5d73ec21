internal import Domain

/// Reads a date in any of the forms feeds carry; nil if it cannot be read, never "now".
///
/// A date without a zone is UTC; a date without a time is at midnight. A wrong weekday is ignored; a part out of range
/// makes the date unreadable.
/// Source: RFC 822, 2822 and 5322; RFC 3339, ISO 8601 and W3CDTF; asctime; and forms found in feeds.
func readDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    if let date = readUsualDate(bytes) { return date }
    guard bytes.count <= 128 else { return nil }
    if let ascii = DateSigns.ascii(bytes) {
        return ascii.withText {
            var scanner = DateScanner($0.bytes)
            return scanner.read()
        }
    }
    var scanner = DateScanner(bytes)
    return scanner.read()
}

/// Reads only the form of nearly all feeds: `Tue, 01 Mar 2005 10:00:00 +0000` or `GMT`.
private func readUsualDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    guard bytes.count == 29 || bytes.count == 31, bytes[3] == UInt8(ascii: ","), bytes[4] == 32, bytes[7] == 32,
        bytes[11] == 32, bytes[16] == 32, bytes[19] == UInt8(ascii: ":"), bytes[22] == UInt8(ascii: ":"), bytes[25] == 32
    else { return nil }
    func number(_ range: Range<Int>) -> Int? {
        var value = 0
        for index in range {
            guard (48...57).contains(bytes[index]) else { return nil }
            value = value * 10 + Int(bytes[index] - 48)
        }
        return value
    }
    guard let day = number(5..<7), let month = EnglishDateWords.month(bytes[8], bytes[9], bytes[10]),
        let year = number(12..<16), let hour = number(17..<19), let minute = number(20..<22), let second = number(23..<25)
    else { return nil }
    var offset = 0
    if bytes.count == 31 {
        guard let hours = number(27..<29), let minutes = number(29..<31), hours < 24, minutes < 60 else { return nil }
        offset = hours * 3_600 + minutes * 60
        if bytes[26] == UInt8(ascii: "-") { offset = -offset } else if bytes[26] != UInt8(ascii: "+") { return nil }
    } else if bytes[26] != UInt8(ascii: "G") || bytes[27] != UInt8(ascii: "M") || bytes[28] != UInt8(ascii: "T") {
        return nil
    }
    return Timestamp(year: year, month: month, day: day, hour: hour, minute: minute, second: second).map { $0 - Int64(offset) }
}

/// Reads a duration in seconds: `SS`, `MM:SS`, `HH:MM:SS`, each with an optional fraction, `1h 2m 3s`, `62 min`, and
/// ISO 8601's `PT1H2M3S`. Parts are not capped. nil for anything else, including a sign or a stray letter.
///
/// Source: Apple's podcast requirements; the written forms occur in handmade feeds.
func readDuration(_ text: Text) -> Double? {
    let bytes = text.bytes
    guard let first = bytes.first, bytes.count <= 64 else { return nil }
    let seconds: Double?
    if first == UInt8(ascii: "P") || first == UInt8(ascii: "p") {
        // Before the T, M is a month.
        let parts = bytes.dropFirst().split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "t") }
        seconds = parts[0].contains { $0 | 0x20 == UInt8(ascii: "m") } ? nil : readUnits(parts.flatMap(Array.init)[...])
    } else if bytes.contains(where: { $0 >= 65 }) {
        seconds = readUnits(Array(bytes)[...])
    } else {
        seconds = readClock(text)
    }
    return seconds.flatMap { $0 <= 1e9 ? $0 : nil }
}

/// `61:08`, `1:02:03.5`, `128`.
private func readClock(_ text: Text) -> Double? {
    var total = 0.0
    var parts = 0
    var remaining = text.bytes[...]
    while true {
        while let blank = remaining.first, blank == 32 { remaining = remaining.dropFirst() }
        guard let number = takeNumber(&remaining) else { return nil }
        total = total * 60 + number
        parts += 1
        while let blank = remaining.first, blank == 32 { remaining = remaining.dropFirst() }
        guard let separator = remaining.first else { return total }
        guard separator == UInt8(ascii: ":"), parts < 3, number == number.rounded() else { return nil }
        remaining = remaining.dropFirst()
    }
}

/// Numbers, each with its unit.
private func readUnits(_ bytes: ArraySlice<UInt8>) -> Double? {
    var remaining = bytes
    var total = 0.0
    var hasUnits = false
    while true {
        remaining = remaining.drop { $0 == 32 || $0 == UInt8(ascii: ",") }
        if remaining.isEmpty { return hasUnits ? total : nil }
        if hasUnits, let word = leadingWord(remaining), word == "and" {
            remaining = remaining.dropFirst(3)
            continue
        }
        guard let number = takeNumber(&remaining) else { return nil }
        remaining = remaining.drop { $0 == 32 }
        guard let word = leadingWord(remaining), let factor = unitSeconds(word) else { return nil }
        remaining = remaining.dropFirst(word.utf8.count)
        if remaining.first == UInt8(ascii: ".") { remaining = remaining.dropFirst() }
        total += number * factor
        hasUnits = true
    }
}

private func leadingWord(_ bytes: ArraySlice<UInt8>) -> String? {
    let letters = bytes.prefix { (65...90).contains($0) || (97...122).contains($0) }
    return letters.isEmpty ? nil : String(decoding: letters, as: UTF8.self).lowercased()
}

private func unitSeconds(_ word: String) -> Double? {
    switch word {
    case "d", "day", "days": return 86_400
    case "h", "hr", "hrs", "hour", "hours": return 3_600
    case "m", "min", "mins", "minute", "minutes": return 60
    case "s", "sec", "secs", "second", "seconds": return 1
    default: return nil
    }
}

/// Digits with an optional fraction, which may follow a point or a comma.
private func takeNumber<Bytes: BidirectionalCollection<UInt8>>(_ remaining: inout Bytes) -> Double?
where Bytes.SubSequence == Bytes {
    var value = 0.0
    var digits = 0
    while let byte = remaining.first, (48...57).contains(byte) {
        value = value * 10 + Double(byte - 48)
        digits += 1
        remaining = remaining.dropFirst()
    }
    guard digits > 0 else { return nil }
    let afterPoint = remaining.dropFirst()
    if let point = remaining.first, point == UInt8(ascii: ".") || point == UInt8(ascii: ","), let next = afterPoint.first,
        (48...57).contains(next)
    {
        remaining = afterPoint
        var fraction = 0.0
        var scale = 1.0
        while let byte = remaining.first, (48...57).contains(byte) {
            if scale < 1e15 {
                fraction = fraction * 10 + Double(byte - 48)
                scale *= 10
            }
            remaining = remaining.dropFirst()
        }
        value += fraction / scale
    }
    return value
}

/// The words of nearly all dates, read without creating Strings.
enum EnglishDateWords {
    enum Meaning {
        case month(Int), weekday, utc
    }

    static let names: [StaticString] = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// The month of a three-letter abbreviation with a capital.
    static func month(_ a: UInt8, _ b: UInt8, _ c: UInt8) -> Int? {
        switch (a, b, c) {
        case (0x4A, 0x61, 0x6E): 1  // Jan
        case (0x46, 0x65, 0x62): 2  // Feb
        case (0x4D, 0x61, 0x72): 3  // Mar
        case (0x41, 0x70, 0x72): 4  // Apr
        case (0x4D, 0x61, 0x79): 5  // May
        case (0x4A, 0x75, 0x6E): 6  // Jun
        case (0x4A, 0x75, 0x6C): 7  // Jul
        case (0x41, 0x75, 0x67): 8  // Aug
        case (0x53, 0x65, 0x70): 9  // Sep
        case (0x4F, 0x63, 0x74): 10  // Oct
        case (0x4E, 0x6F, 0x76): 11  // Nov
        case (0x44, 0x65, 0x63): 12  // Dec
        default: nil
        }
    }

    /// A month or weekday, in full or shortened to three letters or more, or the usual zone.
    static func meaning(of word: Text) -> Meaning? {
        guard word.count >= 3 else { return nil }
        for (index, name) in names.enumerated() where isStart(word, of: name) {
            return index < 12 ? .month(index + 1) : .weekday
        }
        return word.trimmed.isWord("gmt") || word.trimmed.isWord("utc") ? .utc : nil
    }

    private static func isStart(_ word: Text, of name: StaticString) -> Bool {
        guard word.count <= name.utf8CodeUnitCount else { return false }
        for index in 0..<word.count where word[index] | 0x20 != name.utf8Start[index] { return false }
        return true
    }
}

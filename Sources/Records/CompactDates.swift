internal import Domain

/// Dates in whole minutes as a short text, six bits a character.
///
/// The first character says how the rest is read: its low five bits are the parameter of an exponential Golomb code, and its
/// highest is set if the distances are in units of ten minutes. Then come the minutes since 1970 of the first date, and the
/// distances between one and the next. The 52 dates of a weekly podcast take 72 bytes if all are at one hour, and about 135 if they
/// are at any time.
enum CompactDates {
    private static let parameterOfFirst = 24
    private static let maxParameter = 31
    private static let largeUnit: Int64 = 10

    /// - Parameter dates: in order, soonest or latest first.
    static func text(_ dates: [Timestamp]) -> String {
        guard let first = dates.first else { return "" }
        var distances = zip(dates, dates.dropFirst()).map { abs($1 - $0) / 60 }
        let isRound = distances.allSatisfy { $0 % largeUnit == 0 }
        if isRound { distances = distances.map { $0 / largeUnit } }
        let mean = distances.reduce(0, +) / Int64(max(1, distances.count))
        let low = min(SixBitText.width(mean + 1) - 1, maxParameter - 1)
        let parameter = [low, low + 1].min { length(of: distances, $0) < length(of: distances, $1) } ?? low
        var text = SixBitText()
        text.append(Int64(parameter) + (isRound ? 32 : 0), bits: 6)
        text.append(max(0, first.seconds / 60), parameter: parameterOfFirst)
        for distance in distances { text.append(distance, parameter: parameter) }
        return text.text
    }

    private static func length(of numbers: [Int64], _ parameter: Int) -> Int {
        numbers.reduce(0) { $0 + 2 * SixBitText.width($1 + 1 << parameter) - parameter - 1 }
    }

    /// Stops at a character that no text has.
    ///
    /// - Parameter newestFirst: if not, soonest first.
    static func dates(_ text: some Sequence<UInt8>, newestFirst: Bool = true) -> [Timestamp] {
        var reader = SixBitText.Reader(text)
        guard let head = reader.next(bits: 6), let first = reader.next(parameter: parameterOfFirst) else { return [] }
        let (parameter, unit) = (Int(head % 32), head >= 32 ? largeUnit : 1)
        var dates: [Timestamp] = []
        dates.reserveCapacity(text.underestimatedCount / 2)
        var last = Timestamp(seconds: first * 60)
        dates.append(last)
        while let distance = reader.next(parameter: parameter) {
            last = last + (newestFirst ? -distance : distance) * unit * 60
            dates.append(last)
        }
        return dates
    }
}

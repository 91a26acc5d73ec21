internal import Domain

/// What was learned of a podcast's rhythm, as a short text: its dates, the planned requests, and the shift of its dates, with full
/// stops between them.
struct LearnedRhythm {
    private var dates: [Timestamp]
    private var plan: [Timestamp]
    private var shift: Int64
    private var shiftedInARow: Int
    private var isShiftKnown: Bool

    private static let stop = UInt8(ascii: ".")
    private static let shiftParameter = 8
    private static let maxShiftedInARow = 3

    init(_ cadence: Cadence) {
        (dates, plan, shift) = (cadence.recent, cadence.plan, cadence.dateShift)
        (shiftedInARow, isShiftKnown) = (cadence.shiftedInARow, cadence.isShiftKnown)
    }

    func set(_ cadence: inout Cadence) {
        (cadence.recent, cadence.plan, cadence.dateShift) = (dates, plan, shift)
        (cadence.shiftedInARow, cadence.isShiftKnown) = (shiftedInARow, isShiftKnown)
    }

    /// Nil if nothing was learned.
    var text: String? {
        let minutes = shift / 60
        let number =
            (minutes < 0 ? -2 * minutes - 1 : 2 * minutes) << 3 | (isShiftKnown ? 4 : 0)
            | Int64(min(max(0, shiftedInARow), Self.maxShiftedInARow))
        var shiftText = SixBitText()
        if number > 0 { shiftText.append(number, parameter: Self.shiftParameter) }
        var parts = [CompactDates.text(dates), CompactDates.text(plan), shiftText.text]
        while parts.last == "" { parts.removeLast() }
        return parts.isEmpty ? nil : parts.joined(separator: ".")
    }

    init(text: String) {
        let parts = Array(text.utf8).split(separator: Self.stop, omittingEmptySubsequences: false)
        dates = CompactDates.dates(parts.first ?? [])
        plan = parts.count > 1 ? CompactDates.dates(parts[1], newestFirst: false) : []
        var reader = SixBitText.Reader(parts.count > 2 ? parts[2] : [])
        let number = reader.next(parameter: Self.shiftParameter) ?? 0
        let minutes = number >> 3
        shift = 60 * (minutes % 2 == 1 ? -(minutes + 1) / 2 : minutes / 2)
        (isShiftKnown, shiftedInARow) = (number & 4 > 0, Int(number & 3))
    }
}

import ArgumentParser
import Domain

/// A day, a month, a year or a moment: `2024-03-01`, `2024-03`, `2024`, `2024-03-01T12:00:00Z`, `today`, `yesterday`, or a span ago such as `3d`.
struct DateArgument: ExpressibleByArgument {
    private enum Form {
        case moment(Timestamp)
        /// UTC, both ends included.
        case period(Timestamp, Timestamp)
        case daysAgo(Int64)
        case ago(seconds: Int64)
    }

    private let form: Form

    init?(argument: String) {
        let text = argument.lowercased()
        if let moment = Timestamp(argument.uppercased()) {
            form = .moment(moment)
        } else if let first = Timestamp(queryDate: text) {
            let hyphens = text.utf8.count { $0 == UInt8(ascii: "-") }
            let days: Int64 = [366, 31, 1][hyphens]
            // `2024-03` is over where a date no longer begins so.
            let head = first.description.prefix([4, 7, 10][hyphens])
            let ends = (1...days).lazy.map { first + $0 * 86_400 - 1 }
            form = .period(first, ends.last { $0.description.hasPrefix(head) } ?? first)
        } else if text == "today" {
            form = .daysAgo(0)
        } else if text == "yesterday" {
            form = .daysAgo(1)
        } else {
            let units: [Character: Int64] = ["h": 3_600, "d": 86_400, "w": 7 * 86_400, "m": 30 * 86_400, "y": 365 * 86_400]
            guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
                (0...100_000).contains(number)
            else { return nil }
            form = .ago(seconds: number * unit)
        }
    }

    /// The first moment it names.
    func start(_ now: Timestamp) -> Timestamp {
        switch form {
        case .moment(let moment), .period(let moment, _): moment
        case .daysAgo(let days): now - ((now.seconds % 86_400 + 86_400) % 86_400 + days * 86_400)
        case .ago(let seconds): now - seconds
        }
    }

    /// The last moment it names: a day counts whole.
    func end(_ now: Timestamp) -> Timestamp {
        switch form {
        case .moment, .ago: start(now)
        case .period(_, let end): end
        case .daysAgo: start(now) + 86_399
        }
    }
}
